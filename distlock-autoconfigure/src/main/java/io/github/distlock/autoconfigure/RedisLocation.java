package io.github.distlock.autoconfigure;

import java.util.Collection;
import java.util.stream.Collectors;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The address of a Redis, as far as its connection factory tells.
 */
record RedisLocation(RedisConnectionFactory connectionFactory) implements LockStoreLocation {

	@Override
	public String describe() {
		return (this.connectionFactory instanceof LettuceConnectionFactory lettuce) ? describe(lettuce)
				: "Redis behind the " + this.connectionFactory.getClass().getSimpleName();
	}

	private static String describe(LettuceConnectionFactory lettuce) {
		var cluster = lettuce.getClusterConfiguration();
		if (cluster != null) {
			return "Redis cluster at " + addresses(cluster.getClusterNodes());
		}
		var sentinel = lettuce.getSentinelConfiguration();
		if (sentinel != null) {
			return "Redis master known to the sentinels at " + addresses(sentinel.getSentinels());
		}
		var socket = lettuce.getSocketConfiguration();
		if (socket != null) {
			return "Redis at socket " + socket.getSocket();
		}
		return "Redis at " + lettuce.getHostName() + ":" + lettuce.getPort();
	}

	private static String addresses(Collection<RedisNode> nodes) {
		return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
	}

}
