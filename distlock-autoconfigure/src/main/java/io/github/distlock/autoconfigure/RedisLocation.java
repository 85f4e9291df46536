package io.github.distlock.autoconfigure;

import io.github.distlock.backend.redis.RedisServer;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The address of a Redis, as far as its connection factory tells.
 */
record RedisLocation(RedisConnectionFactory connectionFactory) implements LockStoreLocation {

	@Override
	public String describe() {
		return RedisServer.of(this.connectionFactory).name();
	}

}
