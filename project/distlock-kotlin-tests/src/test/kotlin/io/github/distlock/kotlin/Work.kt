package io.github.distlock.kotlin

import io.github.distlock.DistributedLock
import io.github.distlock.HeldLock
import io.github.distlock.LockContext
import io.github.distlock.LockListener
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.asCompletableFuture
import kotlinx.coroutines.withContext
import org.aspectj.lang.ProceedingJoinPoint
import org.aspectj.lang.annotation.Around
import org.aspectj.lang.annotation.Aspect
import org.springframework.stereotype.Component
import reactor.core.publisher.Mono
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.time.Duration.Companion.milliseconds

/** Functions that a test controls from outside. */
@Component
class Work(private val events: Events) {

    @DistributedLock("#key")
    suspend fun hold(key: String, inside: CompletableDeferred<Unit>, end: CompletableDeferred<String>): String {
        inside.complete(Unit)
        return end.await()
    }

    @DistributedLock("#key")
    fun flow(key: String, inside: CompletableDeferred<Unit>, end: CompletableDeferred<String>): Flow<String> = flow {
        inside.complete(Unit)
        emit(keys())
        emit(end.await())
    }

    @DistributedLock("#key")
    suspend fun suspendedFlow(key: String): Flow<String> = flow { emit(key) }

    @DistributedLock("#key")
    suspend fun cleanUp(key: String, inside: CompletableDeferred<Unit>) {
        try {
            inside.complete(Unit)
            awaitCancellation()
        } finally {
            cleanUp(key)
        }
    }

    @OptIn(DelicateCoroutinesApi::class)
    @DistributedLock("#key")
    fun deferredThatCleansUp(key: String, inside: CompletableDeferred<Unit>): Deferred<Unit> = GlobalScope.async {
        try {
            inside.complete(Unit)
            awaitCancellation()
        } finally {
            cleanUp(key)
        }
    }

    /** Fails at its first attempt. */
    @Repeated
    @DistributedLock("#key")
    suspend fun cleanUpSecond(key: String, inside: CompletableDeferred<Unit>) {
        if (key !in events.ended) {
            events.ended.add(key)
            throw OutOfStock(key)
        }
        cleanUp(key, inside)
    }

    /** Fails at its first attempt. */
    @RepeatedEarly
    @DistributedLock("#key")
    suspend fun cleanUpSecondThatOverlaps(key: String, inside: CompletableDeferred<Unit>) = cleanUpSecond(key, inside)

    /** Of two attempts at once, the first has cleaned up after the second. */
    @Doubled
    @DistributedLock("#key")
    suspend fun cleanUpInReverse(key: String, first: CompletableDeferred<Unit>, second: CompletableDeferred<String>) {
        val isFirst = first.complete(Unit)
        if (!isFirst) second.complete(key)
        try {
            awaitCancellation()
        } finally {
            withContext(NonCancellable) {
                while (isFirst && "cleaned up $key" !in events.ended) delay(1.milliseconds)
            }
            cleanUp(key)
        }
    }

    @DistributedLock("#key")
    fun flowThatCleansUp(key: String, inside: CompletableDeferred<Unit>): Flow<Int> = flow {
        try {
            inside.complete(Unit)
            awaitCancellation()
        } finally {
            cleanUp(key)
        }
    }

    /** Long enough for a release that does not wait to come first. */
    private suspend fun cleanUp(key: String) = withContext(NonCancellable) {
        delay(300.milliseconds)
        events.ended.add("cleaned up $key")
    }

    @DistributedLock("#key")
    suspend fun fail(key: String): String = withContext(Dispatchers.IO) { throw OutOfStock(key) }

    /** Returns the locks on both threads. */
    @DistributedLock("#key")
    suspend fun switch(key: String): List<String> {
        val before = keys()
        return listOf(before, withContext(Dispatchers.IO) { keys() }, keys())
    }

    @DistributedLock("#key")
    suspend fun outer(key: String, inner: suspend () -> String): String = withContext(Dispatchers.Default) { inner() }

    @DistributedLock("#key", waitTime = "0s")
    suspend fun inner(key: String): String = withContext(Dispatchers.IO) { keys() }

    @DistributedLock("#key", waitTime = "0s")
    fun blocking(key: String): String = keys()

    @DistributedLock("#key")
    suspend fun run(key: String, body: suspend () -> String): String = body()

    @DistributedLock("#key")
    fun elements(key: String, body: suspend FlowCollector<Any?>.() -> Unit): Flow<Any?> = flow(body)

    @DistributedLock("#key", waitTime = "0", fallback = "busy")
    internal suspend fun internal(key: String): String = keys()

    internal suspend fun busy(key: String): String = "busy $key"

    @DistributedLock("#product", waitTime = "0", fallback = "busy")
    suspend fun ofProduct(product: Product): String = keys()

    private fun busy(product: Product): String = "busy ${product.sku}"

    private fun keys(): String = LockContext.all().map(HeldLock::key).distinct().sorted().joinToString(",")

}

interface Store<T> {

    @DistributedLock("#key")
    fun save(key: String, value: T): String

    @DistributedLock("#key")
    suspend fun saveLater(key: String, value: T): String

}

/** The parameters of this class are `int`, which a type variable of Java cannot be. */
@Component
class NumberStore : Store<Int> {

    override fun save(key: String, value: Int): String = LockContext.current().orElseThrow().key() + value

    override suspend fun saveLater(key: String, value: Int): String = save(key, value)

}

@JvmInline
value class Product(val sku: String)

/** What happened, in its order. */
@Component
class Events : LockListener {

    val waiting: MutableSet<String> = ConcurrentHashMap.newKeySet()

    val ended: MutableList<String> = CopyOnWriteArrayList()

    override fun onWaiting(event: LockListener.Waiting) {
        waiting.add(event.key)
    }

    override fun onReleased(event: LockListener.Released) {
        ended.add("released ${event.key}")
    }

}

annotation class Repeated

annotation class RepeatedEarly

annotation class Doubled

/** Subscribes again, inside of the lock. */
@Aspect
@Component
class Repetition {

    @Around("@annotation(io.github.distlock.kotlin.Repeated)")
    fun repeat(call: ProceedingJoinPoint): Any? = (call.proceed() as Mono<*>).retry(1)

    @Around("@annotation(io.github.distlock.kotlin.Doubled)")
    fun double(call: ProceedingJoinPoint): Any? = (call.proceed() as Mono<*>).let { Mono.zip(it, it) }

    /** The first attempt, which reports its failure here, has not ended when the second one is inside. */
    @Around("@annotation(io.github.distlock.kotlin.RepeatedEarly)")
    fun repeatEarly(call: ProceedingJoinPoint): Any? =
        repeatEarly(call.proceed() as Mono<*>, call.args[1] as CompletableDeferred<*>)

    private fun <T : Any> repeatEarly(attempt: Mono<T>, inside: CompletableDeferred<*>): Mono<T> =
        attempt.onErrorResume {
            Mono.from { second -> attempt.subscribe(second).also { inside.asCompletableFuture().join() } }
        }

}

class OutOfStock(val sku: String) : Exception("Out of stock: $sku")
