package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

/**
 * Application context runners with the auto-configurations of the library.
 */
public final class Contexts {

	/** A port on which no Redis listens. */
	static final String NO_REDIS = "spring.data.redis.port=1";

	private Contexts() {
	}

	static List<Class<?>> autoConfigurations() {
		ClassLoader classLoader = Contexts.class.getClassLoader();
		return StreamSupport.stream(ImportCandidates.load(AutoConfiguration.class, classLoader).spliterator(), false)
			.filter((name) -> name.startsWith("io.github.distlock."))
			.<Class<?>>map((name) -> ClassUtils.resolveClassName(name, classLoader))
			.toList();
	}

	/**
	 * With the Redis auto-configuration of Spring Boot, for a server that does not run.
	 */
	public static ApplicationContextRunner withRedis() {
		return withoutRedis().withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));
	}

	public static ApplicationContextRunner withoutRedis() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(autoConfigurations().toArray(Class<?>[]::new)))
			.withPropertyValues(NO_REDIS);
	}

	static ApplicationContextRunner local(String... properties) {
		return withoutRedis().withPropertyValues("distlock.backend=local").withPropertyValues(properties);
	}

	static HeldLock rival(ApplicationContext context, String key) {
		return CompletableFuture.supplyAsync(() -> context.getBean(LockRegistry.class).acquire(LockRequest.of(key)))
			.join();
	}

	static void assertRefused(ApplicationContextRunner application, String... parts) {
		application.run((context) -> assertThat(context).getFailure()
			.extracting(NestedExceptionUtils::getMostSpecificCause, THROWABLE)
			.extracting(Throwable::getMessage, STRING)
			.contains(parts));
	}

}
