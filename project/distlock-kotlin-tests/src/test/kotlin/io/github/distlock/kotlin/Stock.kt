package io.github.distlock.kotlin

import kotlinx.coroutines.reactor.awaitSingle
import org.springframework.data.redis.core.ReactiveStringRedisTemplate
import org.springframework.stereotype.Component

/** The stock in Redis. Reading and writing are two commands. */
@Component
class Stock(private val redis: ReactiveStringRedisTemplate) {

    suspend fun read(sku: String): Int = redis.opsForValue().get(sku).awaitSingle().toInt()

    suspend fun write(sku: String, count: Int) {
        redis.opsForValue().set(sku, count.toString()).awaitSingle()
    }

}
