package io.github.distlock.kotlin

import io.github.distlock.DistributedLock
import io.github.distlock.FencingToken
import io.github.distlock.LockContext
import io.github.distlock.LockNotAcquiredException
import io.github.distlock.OnFailure
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import org.springframework.stereotype.Service
import kotlin.time.Duration.Companion.milliseconds

/** The examples of docs/kotlin.md. */
@Service
class Inventory(private val stock: Stock) {

    @DistributedLock("'stock-' + #sku")
    suspend fun deduct(sku: String, amount: Int = 1): Int {
        val left = stock.read(sku) - amount
        delay(1.milliseconds)
        stock.write(sku, left)
        return left
    }

    @DistributedLock("'stock-' + #sku")
    fun counts(sku: String): Flow<Int> = flow {
        repeat(3) {
            emit(stock.read(sku))
        }
    }

    @DistributedLock("'stock-' + #sku", waitTime = "0", fallback = "busy")
    suspend fun reserve(sku: String): String = "reserved " + stock.read(sku)

    private suspend fun busy(sku: String, ex: LockNotAcquiredException): String {
        delay(1.milliseconds)
        return "busy"
    }

    @DistributedLock("'stock-' + #sku", waitTime = "0", onFailure = OnFailure.SKIP)
    suspend fun peek(sku: String): Int? = stock.read(sku)

    @DistributedLock("'stock-' + #sku")
    suspend fun token(sku: String, @FencingToken token: Long = 0): Boolean {
        delay(1.milliseconds)
        return LockContext.current().orElseThrow().fencingToken() == token
    }

    suspend fun deductWithoutLock(sku: String): Int {
        val left = stock.read(sku) - 1
        delay(1.milliseconds)
        stock.write(sku, left)
        return left
    }

}
