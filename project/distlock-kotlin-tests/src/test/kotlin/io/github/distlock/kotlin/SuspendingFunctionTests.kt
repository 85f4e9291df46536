package io.github.distlock.kotlin

import io.github.distlock.LockDefinitionException
import io.github.distlock.LockRegistry
import io.github.distlock.LockRequest
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.getBean
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.runApplication
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.data.redis.core.StringRedisTemplate
import java.time.Duration
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.milliseconds

/** Suspending functions and flows of an application whose locks are in Redis. */
class SuspendingFunctionTests {

    private val key = UUID.randomUUID().toString()

    private val work = context.getBean<Work>()

    private val inventory = context.getBean<Inventory>()

    private val events = context.getBean<Events>()

    private val registry = context.getBean<LockRegistry>()

    private val inside = CompletableDeferred<Unit>()

    private val end = CompletableDeferred<String>()

    @BeforeEach
    fun stockUp() {
        context.getBean<StringRedisTemplate>().opsForValue().set(key, "10")
    }

    private fun isFree(lock: String = key): Boolean = registry.tryAcquire(LockRequest.of(lock).waitTime(Duration.ZERO))
        .map { it.close() }.isPresent

    /** Without the releases of the test itself. */
    private fun endOf(key: String): List<String> = events.ended.filter { key in it }.take(2)

    private fun awaitFree() = await().atMost(java.time.Duration.ofMinutes(2)).until { isFree() }

    private fun test(block: suspend kotlinx.coroutines.CoroutineScope.() -> Unit) = runBlocking { block() }

    @Test
    fun `a suspending function holds its lock until it completes`() = test {
        val call = async { work.hold(key, inside, end) }
        inside.await()
        assertThat(isFree()).isFalse()
        end.complete("done")
        assertThat(call.await()).isEqualTo("done")
        assertThat(isFree()).isTrue()
    }

    @Test
    fun `a flow holds its lock from its collection to its end`() = test {
        val flow = work.flow(key, inside, end)
        assertThat(isFree()).isTrue()
        val collected = async { flow.toList() }
        inside.await()
        assertThat(isFree()).isFalse()
        end.complete("done")
        assertThat(collected.await()).containsExactly(key, "done")
        assertThat(isFree()).isTrue()
    }

    @Test
    fun `a flow that is not collected to its end releases its lock`() = test {
        assertThat(work.flow(key, inside, end).first()).isEqualTo(key)
        awaitFree()
    }

    @Test
    fun `a flow waits until its collector has processed an element, and then holds its lock`() = test {
        val order = mutableListOf<String>()
        val flow = work.elements(key) { repeat(2) { order.add("emit"); emit(it) } }
        flow.collect {
            delay(20.milliseconds)
            order.add(if (isFree()) "free" else "locked")
        }
        assertThat(order).containsExactly("emit", "locked", "emit", "locked")
    }

    @Test
    fun `a flow does not run on after the last element that its collector takes`() = test {
        val order = mutableListOf<String>()
        val flow = work.elements(key) { repeat(2) { order.add("emit"); emit(it) } }
        assertThat(flow.first()).isEqualTo(0)
        awaitFree()
        assertThat(order).containsExactly("emit")
    }

    @Test
    fun `elements of a flow may be null`() = test {
        assertThat(work.elements(key) { emit(1); emit(null); emit(2) }.toList()).containsExactly(1, null, 2)
    }

    @Test
    fun `a flow has the context of its collector`() = test {
        val flow = work.elements(key) { emit(currentCoroutineContext()[CoroutineName]?.name) }
        assertThat(withContext(CoroutineName("collector")) { flow.toList() }).containsExactly("collector")
    }

    @Test
    fun `a suspending function that returns a flow is locked while the flow is collected`() = test {
        assertThat(work.suspendedFlow(key).toList()).containsExactly(key)
        assertThat(isFree()).isTrue()
    }

    @Test
    fun `a cancelled function keeps its lock until it has cleaned up`() = test {
        val call = launch(Dispatchers.Default) { work.cleanUp(key, inside) }
        inside.await()
        call.cancel()
        awaitFree()
        assertThat(endOf(key)).containsExactly("cleaned up $key", "released $key")
    }

    @Test
    fun `a cancelled result cancels its work and keeps the lock until that has cleaned up`() = test {
        val result = work.deferredThatCleansUp(key, inside)
        inside.await()
        result.cancel()
        awaitFree()
        assertThat(endOf(key)).containsExactly("cleaned up $key", "released $key")
    }

    @Test
    fun `a function that an aspect repeats keeps its lock until its last attempt has cleaned up`() = test {
        val call = launch(Dispatchers.Default) { work.cleanUpSecond(key, inside) }
        inside.await()
        call.cancel()
        awaitFree()
        assertThat(events.ended.filter { key in it }.take(3)).containsExactly(key, "cleaned up $key", "released $key")
    }

    @Test
    fun `an attempt that begins before the failed one has ended keeps the lock until it has cleaned up`() = test {
        val call = launch(Dispatchers.Default) { work.cleanUpSecondThatOverlaps(key, inside) }
        inside.await()
        call.cancel()
        awaitFree()
        assertThat(events.ended.filter { key in it }.take(3)).containsExactly(key, "cleaned up $key", "released $key")
    }

    @Test
    fun `two attempts at once keep the lock until both have cleaned up`() = test {
        val call = launch(Dispatchers.Default) { work.cleanUpInReverse(key, inside, end) }
        inside.await()
        end.await()
        call.cancel()
        awaitFree()
        assertThat(events.ended.filter { key in it }.take(3))
            .containsExactly("cleaned up $key", "cleaned up $key", "released $key")
    }

    @Test
    fun `a cancelled flow keeps its lock until it has cleaned up`() = test {
        val call = launch(Dispatchers.Default) { work.flowThatCleansUp(key, inside).toList() }
        inside.await()
        call.cancel()
        awaitFree()
        assertThat(endOf(key)).containsExactly("cleaned up $key", "released $key")
    }

    /** Without a dispatcher, the check whether the job is cancelled comes before the last moment. */
    @Test
    fun `a function that is cancelled at the moment of its start keeps its lock until it ends`() = test {
        val reached = CompletableFuture<Unit>()
        val next = CompletableFuture<Unit>()
        val started = AtStart { reached.complete(Unit).also { next.get() } }
        val call = launch(Dispatchers.Unconfined) {
            withContext(started) { work.run(key) { "begun".also { inside.complete(Unit) } } }
        }
        withContext(Dispatchers.IO) {
            reached.get()
            call.cancel()
            // Long enough for a release that does not wait for the function.
            val other = registry.tryAcquire(LockRequest.of(key).waitTime(Duration.ofMillis(300)))
            next.complete(Unit)
            inside.await()
            assertThat(other).isEmpty()
        }
        awaitFree()
    }

    @Test
    fun `a cancelled wait is given up`() = test {
        val lock = registry.acquireAsync(LockRequest.of(key)).await()
        val call = launch(Dispatchers.Default) { work.hold(key, inside, end) }
        await().atMost(java.time.Duration.ofMinutes(2)).until { key in events.waiting }
        call.cancelAndJoin()
        lock.close()
        awaitFree()
        assertThat(inside.isCompleted).isFalse()
    }

    @Test
    fun `the exception of the function reaches the caller unchanged`() = test {
        val failure = runCatching { work.fail(key) }.exceptionOrNull()
        assertThat(failure).isInstanceOf(OutOfStock::class.java)
        assertThat(isFree()).isTrue()
    }

    @Test
    fun `the lock belongs to the coroutine on each of its threads`() = test {
        assertThat(work.switch(key)).containsExactly(key, key, key)
    }

    @Test
    fun `a nested call of the same key enters again, suspending or not`() = test {
        assertThat(work.outer(key) { work.inner(key) }).isEqualTo(key)
        assertThat(work.outer(key) { work.blocking(key) }).isEqualTo(key)
        assertThat(work.outer(key) { work.inner("other-$key") }.split(",")).containsExactlyInAnyOrder(key, "other-$key")
        assertThat(isFree()).isTrue()
    }

    @Test
    fun `another coroutine of the same thread does not enter`() = test {
        val call = async { work.hold(key, inside, end) }
        inside.await()
        assertThat(runCatching { work.inner(key) }.exceptionOrNull()).hasMessageContaining(key)
        end.complete("done")
        call.await()
    }

    @Test
    fun `default arguments are evaluated before the key`() = test {
        assertThat(inventory.deduct(key)).isEqualTo(9)
        assertThat(inventory.deduct(key, 4)).isEqualTo(5)
        assertThat(inventory.counts(key).toList()).containsExactly(5, 5, 5)
    }

    @Test
    fun `a fencing token is passed`() = test {
        assertThat(inventory.token(key)).isTrue()
    }

    @Test
    fun `a suspending fallback is called and a skipped call returns null`() = test {
        assertThat(inventory.reserve(key)).isEqualTo("reserved 10")
        assertThat(inventory.peek(key)).isEqualTo(10)
        registry.acquireAsync(LockRequest.of("stock-$key")).await().use {
            assertThat(inventory.reserve(key)).isEqualTo("busy")
            assertThat(inventory.peek(key)).isNull()
        }
    }

    @Test
    fun `a fallback is found by its name in the source`() = test {
        val product = Product(key)
        assertThat(work.internal(key)).isEqualTo(key)
        assertThat(work.ofProduct(product)).isEqualTo(key)
        registry.acquireAsync(LockRequest.of(key)).await().use {
            assertThat(work.internal(key)).isEqualTo("busy $key")
            assertThat(work.ofProduct(product)).isEqualTo("busy $key")
        }
    }

    @Test
    fun `a method of a generic interface is locked if a number is its type`() = test {
        val store = context.getBean<Store<Int>>()
        assertThat(store.save(key, 1)).isEqualTo(key + 1)
        assertThat(store.saveLater(key, 1)).isEqualTo(key + 1)
    }

    @Test
    fun `many coroutines lose no update`() = test {
        (1..10).map { async(Dispatchers.Default) { inventory.deduct(key) } }.awaitAll()
        assertThat(inventory.deduct(key, 0)).isEqualTo(0)
    }

    @Test
    fun `a suspending function that returns unfinished work is refused when the application starts`() {
        assertRefused<UnawaitedWork>("await the work")
    }

    @Test
    fun `a function that starts a coroutine and returns its job is refused when the application starts`() {
        assertRefused<LaunchedWork>("returns Job, whose work may begin or continue after the method has returned")
    }

    @Test
    fun `a call that may be skipped needs a nullable type`() {
        assertRefused<NonNullWork>("returns java.lang.Integer, which has no empty value")
    }

    @Test
    fun `a final class is refused when the application starts`() {
        assertThatExceptionOfType(Exception::class.java).isThrownBy {
            SpringApplicationBuilder(KotlinApplication::class.java, FinalWork::class.java).run(*settings(redis)).close()
        }.havingCause().withMessageContaining("a final class")
    }

    /** Calls back when the coroutine with a lock gets its thread for the first time. */
    private class AtStart(private val callback: () -> Unit) :
        ThreadContextElement<Unit>, AbstractCoroutineContextElement(AtStart) {

        private val pending = AtomicBoolean(true)

        override fun updateThreadContext(context: CoroutineContext) {
            if (Thread.currentThread().name.startsWith("distlock-reactive") && pending.getAndSet(false)) {
                callback()
            }
        }

        override fun restoreThreadContext(context: CoroutineContext, oldState: Unit) = Unit

        companion object Key : CoroutineContext.Key<AtStart>

    }

    private inline fun <reified T> assertRefused(message: String) {
        assertThatExceptionOfType(Exception::class.java).isThrownBy {
            SpringApplicationBuilder(KotlinApplication::class.java, T::class.java).run(*settings(redis)).close()
        }.havingRootCause().isInstanceOf(LockDefinitionException::class.java).withMessageContaining(message)
    }

    companion object {

        private val redis = Redis()

        private lateinit var context: ConfigurableApplicationContext

        fun settings(redis: Redis): Array<String> = arrayOf("--spring.data.redis.host=127.0.0.1",
            "--spring.data.redis.port=${redis.port}", "--spring.main.web-application-type=none",
            "--distlock.wait-time=4m", "--distlock.redis.command-timeout=5s")

        @JvmStatic
        @BeforeAll
        fun start() {
            context = runApplication<KotlinApplication>(*settings(redis))
        }

        @JvmStatic
        @AfterAll
        fun stop() {
            context.close()
            redis.close()
        }

    }

}
