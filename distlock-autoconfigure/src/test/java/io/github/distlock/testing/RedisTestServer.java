package io.github.distlock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThatNoException;

/** A real Redis on a free port, for one test class, and connections to it. */
public record RedisTestServer(RedisProcess process,
		List<LettuceConnectionFactory> connections) implements AutoCloseable {

	public RedisTestServer(RedisProcess process) {
		this(process, new ArrayList<>());
	}

	public static RedisTestServer start(String... settings) {
		return start(freePort(), settings);
	}

	public static RedisTestServer start(int port, String... settings) {
		return new RedisTestServer(RedisProcess.start(port, settings));
	}

	public static int freePort() {
		return FreePorts.next();
	}

	public int port() {
		return this.process.port();
	}

	/** Connect, as an application does, until the server is closed. */
	public LettuceConnectionFactory connectionFactory() {
		LettuceConnectionFactory factory = connectionFactory(port());
		this.connections.add(factory);
		return factory;
	}

	/**
	 * Return a started factory, to be destroyed. It leaves out the quiet period of a
	 * shutdown, in which the driver waits for further commands.
	 */
	public static LettuceConnectionFactory connectionFactory(int port) {
		return connectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
	}

	/** Return such a factory for a user, whose password is {@code password}. */
	public static LettuceConnectionFactory connectionFactory(int port, String user) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", port);
		configuration.setUsername(user);
		configuration.setPassword("password");
		return connectionFactory(configuration);
	}

	private static LettuceConnectionFactory connectionFactory(RedisStandaloneConfiguration configuration) {
		return started(new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder().shutdownQuietPeriod(Duration.ZERO).build()));
	}

	/** Start a factory, to be destroyed by the test. */
	public static <F extends InitializingBean & Lifecycle> F started(F factory) {
		assertThatNoException().isThrownBy(factory::afterPropertiesSet);
		factory.start();
		return factory;
	}

	/**
	 * Put a factory behind a class-based proxy, as an application does that measures its
	 * calls.
	 */
	public static LettuceConnectionFactory advised(LettuceConnectionFactory factory) {
		ProxyFactory proxy = new ProxyFactory(factory);
		proxy.setProxyTargetClass(true);
		proxy.addAdvice((MethodInterceptor) MethodInvocation::proceed);
		return (LettuceConnectionFactory) proxy.getProxy();
	}

	@Override
	public void close() {
		this.connections.forEach(LettuceConnectionFactory::destroy);
		this.process.close();
	}

}
