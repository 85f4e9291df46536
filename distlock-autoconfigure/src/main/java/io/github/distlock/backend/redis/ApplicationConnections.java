package io.github.distlock.backend.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.target.AbstractPrototypeBasedTargetSource;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connection factory of the application at one moment, and the server to which it
 * leads. This is the only place that reads a configuration of the application.
 * <ul>
 * <li>That of Lettuce, from its constructor or from Spring Boot: the server is known, and
 * {@link LettuceConnections} copies it and the configuration of the client when a store
 * is opened.</li>
 * <li>That of Jedis: the server is known, and the connections are shared.</li>
 * <li>One of these behind proxies of Spring AOP, class-based or not, also a bean of a
 * scope such as {@code @RefreshScope}: like the factory that the proxy leads to at this
 * moment. A later one is compared ({@link RedisConnections#compare}).</li>
 * <li>A subclass of these, which may override where it leads; a factory of another kind,
 * such as one that chooses a server for each connection; and one behind a proxy that
 * leads to another object for each call or thread: the server is not known, and the
 * connections are shared.</li>
 * </ul>
 *
 * @param factory the factory itself, or the proxy if what is behind it is not known
 * @param server the server; {@code null} if it is not known
 */
record ApplicationConnections(RedisConnectionFactory factory, @Nullable RedisConfiguration server) {

	static ApplicationConnections of(RedisConnectionFactory application) {
		RedisConnectionFactory factory = target(application);
		RedisConfiguration server = null;
		if (factory.getClass() == LettuceConnectionFactory.class) {
			// The public getters do not return a static master with replicas, but a
			// server on this host instead.
			DirectFieldAccessor fields = new DirectFieldAccessor(factory);
			server = fields.isReadableProperty("configuration")
					? (RedisConfiguration) fields.getPropertyValue("configuration") : null;
		}
		else if (factory instanceof JedisConnectionFactory jedis && jedis.getClass() == JedisConnectionFactory.class) {
			server = jedis.isRedisClusterAware() ? jedis.getClusterConfiguration() : jedis.isRedisSentinelAware()
					? jedis.getSentinelConfiguration() : jedis.getStandaloneConfiguration();
		}
		return new ApplicationConnections(factory, server);
	}

	/** Return what is behind the proxies of Spring AOP. */
	private static RedisConnectionFactory target(RedisConnectionFactory application) {
		try {
			Object target = application;
			while (target instanceof Advised proxy
					&& !(proxy.getTargetSource() instanceof AbstractPrototypeBasedTargetSource)) {
				target = proxy.getTargetSource().getTarget();
			}
			return (target instanceof RedisConnectionFactory factory) ? factory : application;
		}
		catch (Exception ex) {
			// The scope of the bean is not active on this thread.
			return application;
		}
	}

	/**
	 * Whether they lead to a cluster, or may: what is right for a cluster is right for
	 * one server, too.
	 */
	boolean isCluster() {
		return this.server == null || this.server instanceof ClusterConfiguration;
	}

}
