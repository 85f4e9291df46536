package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.autoconfigure.DistlockAopAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockRedisAutoConfiguration;
import io.github.distlock.testing.RedisTestServer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/**
 * A node of an application, as one JVM would be: it has its own registry, which the
 * others meet in Redis.
 */
final class RecipeNode implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private RecipeNode(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Start a node with further beans, properties like {@code name=value}, and sources.
	 */
	static RecipeNode start(RedisTestServer redis, ApplicationContextInitializer<GenericApplicationContext> beans,
			List<String> properties, Class<?>... sources) {
		SpringApplicationBuilder node = new SpringApplicationBuilder(Locks.class).sources(sources)
			.initializers(beans)
			.properties("distlock.redis.command-timeout=5s")
			.web(WebApplicationType.NONE)
			.registerShutdownHook(false);
		// The logging belongs to the JVM: nodes that start at once would take the
		// environment that it is configured with from each other.
		node.application()
			.setListeners(node.application()
				.getListeners()
				.stream()
				.filter((listener) -> !(listener instanceof LoggingApplicationListener))
				.toList());
		return new RecipeNode(node.run(Stream
			.concat(Stream.of("spring.data.redis.port=" + redis.port(), "spring.main.banner-mode=off",
					"distlock.shutdown-grace-period=100ms"), properties.stream())
			.map("--"::concat)
			.toArray(String[]::new)));
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/** Acquire a lock from code, without waiting. */
	HeldLock lock(String key) {
		return bean(LockRegistry.class).tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO))
			.orElseThrow(() -> new IllegalStateException(key + " is taken"));
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			DistlockAutoConfiguration.class, DistlockRedisAutoConfiguration.class, DistlockAopAutoConfiguration.class })
	static class Locks {

	}

}
