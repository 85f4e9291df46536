package io.github.distlock.kotlin

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory
import org.springframework.data.redis.core.StringRedisTemplate
import java.io.File
import java.nio.file.Path

/** Two JVMs of an application with suspending functions sell the same stock at the same time. */
class TwoJvmsTests {

    @Test
    fun `two JVMs with a lock lose no update`() {
        assertThat(left(locked = true)).isZero()
    }

    @Test
    fun `two JVMs without a lock lose updates`() {
        assertThat(left(locked = false)).isPositive()
    }

    private fun left(locked: Boolean): Int = Redis().use { redis ->
        val connections = LettuceConnectionFactory("127.0.0.1", redis.port).apply { afterPropertiesSet(); start() }
        try {
            val values = StringRedisTemplate(connections).opsForValue()
            values.set("sku", (2 * SALES).toString())
            val sellers = List(2) { seller(redis, locked) }
            try {
                sellers.forEach { it.expect("started") }
                sellers.forEach { it.outputWriter().apply { write("\n"); flush() } }
                sellers.forEach { it.expect("sold") }
            } finally {
                sellers.forEach { it.destroyForcibly() }
            }
            values.get("sku").toString().toInt()
        } finally {
            connections.destroy()
        }
    }

    private fun seller(redis: Redis, locked: Boolean): Process = ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC", "-Xmx128m", "-cp", System.getProperty("java.class.path"), Seller::class.java.name,
        "sku", SALES.toString(), locked.toString(), *SuspendingFunctionTests.settings(redis)
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()

    private fun Process.expect(line: String) {
        val output = mutableListOf<String>()
        val found = generateSequence { inputReader().readLine() }.onEach { output.add(it) }.any { it == line }
        assertThat(found).describedAs(output.joinToString("\n")).isTrue()
    }

    private companion object {

        const val SALES = 200

    }

}
