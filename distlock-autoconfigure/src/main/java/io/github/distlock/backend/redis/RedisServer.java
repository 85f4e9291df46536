package io.github.distlock.backend.redis;

import java.util.Collection;
import java.util.stream.Collectors;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis server, as messages name it.
 *
 * @param name the kind of server and its address, without credentials
 * @param properties the properties of the connection
 * @param timeoutProperty the property of the command time-out
 */
public record RedisServer(String name, String properties, String timeoutProperty) {

	/**
	 * Return the server to which a connection factory connects, as far as the factory
	 * knows it.
	 * @param connections the connection factory
	 * @return the server
	 */
	public static RedisServer of(RedisConnectionFactory connections) {
		String name = ConnectionUtils.isLettuce(connections) ? name((LettuceConnectionFactory) connections)
				: "Redis behind the " + connections.getClass().getSimpleName();
		return new RedisServer(name, "spring.data.redis.*", "distlock.redis.command-timeout");
	}

	/**
	 * Return one node of a Redlock store.
	 * @param address host and port
	 * @return the server
	 */
	static RedisServer node(String address) {
		return new RedisServer("Redis node " + address, "distlock.redlock.nodes", "distlock.redlock.node-timeout");
	}

	/** Whether a connection factory is configured for a cluster. */
	static boolean isCluster(RedisConnectionFactory connections) {
		if (ConnectionUtils.isLettuce(connections)) {
			return ((LettuceConnectionFactory) connections).isClusterAware();
		}
		return ConnectionUtils.isJedis(connections) && ((JedisConnectionFactory) connections).isRedisClusterAware();
	}

	private static String name(LettuceConnectionFactory lettuce) {
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

	/**
	 * Return the exception for a command that failed: it names the cause and the remedy.
	 * @param action the command
	 * @param key the key of the lock, if it was for one
	 * @param cause the failure
	 */
	LockBackendException failed(String action, @Nullable String key, Throwable cause) {
		String lock = (key != null) ? " for lock '" + key + "'" : "";
		return new LockBackendException("The " + action + lock + " failed: " + explain(cause), cause);
	}

	/** Describe the true cause of a failure and its remedy, in two sentences. */
	String explain(Throwable failure) {
		return RedisFailure.of(failure).explain(this);
	}

}
