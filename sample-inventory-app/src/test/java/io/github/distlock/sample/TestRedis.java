package io.github.distlock.sample;

import java.io.IOException;
import java.util.random.RandomGenerator;

import io.github.distlock.lab.processes.PortPicker;
import redis.embedded.RedisServer;

/**
 * Starts servers on ports that no other test picks, and that no outgoing connection gets.
 */
public final class TestRedis {

	private static final PortPicker PORTS = new PortPicker(RandomGenerator.getDefault());

	private TestRedis() {
	}

	/** Start a server that keeps nothing. */
	public static RedisServer start() throws IOException {
		RedisServer redis = RedisServer.newRedisServer()
			.port(PORTS.pick(0))
			.bind("127.0.0.1")
			.setting("save \"\"")
			.build();
		redis.start();
		return redis;
	}

}
