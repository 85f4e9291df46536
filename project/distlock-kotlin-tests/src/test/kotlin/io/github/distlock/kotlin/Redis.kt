package io.github.distlock.kotlin

import redis.embedded.RedisServer
import java.net.InetAddress
import java.net.ServerSocket

/** A real Redis on a free port. */
class Redis : AutoCloseable {

    val port: Int = ServerSocket(0, 1, InetAddress.getLoopbackAddress()).use { it.localPort }

    private val server = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build()

    init {
        server.start()
    }

    override fun close() = server.stop()

}
