package io.github.distlock.check;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The server, used by an application as real ones are. The locks have names that no real
 * application uses. Thread-safe.
 *
 * @param context the application
 * @param texts what is known of this kind of server
 */
record Server(ConfigurableApplicationContext context, Texts texts) {

	private static final List<String> LOCKS = List.of("first", "messages", "exclusion", "lease", "killed");

	/** Start the application. Does not fail if the server cannot be reached. */
	static Server open(Texts texts, Properties properties) {
		StandardEnvironment environment = new StandardEnvironment();
		// What the applications of this machine are configured with is not meant here.
		environment.getPropertySources().remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
		environment.getPropertySources().addFirst(new PropertiesPropertySource("check", properties));
		SpringApplication application = new SpringApplication(LockingApplication.class);
		application.setEnvironment(environment);
		return new Server(application.run(), texts);
	}

	BackendLockRegistry registry() {
		return this.context.getBean(BackendLockRegistry.class);
	}

	String property(String name) {
		return this.context.getEnvironment().getProperty(name, "");
	}

	/** Return a request for a lock of this check, one of {@link #LOCKS}. */
	LockRequest request(String name) {
		return LockRequest.of(property("check.locks") + "-" + name);
	}

	/**
	 * Ask the server about itself.
	 * @param question a SELECT, or for Redis a pattern of {@code name=value}
	 * @return the answer, empty if the server does not tell
	 */
	String ask(String question) {
		if (this.texts.isJdbc()) {
			return String.valueOf(this.context.getBean(JdbcTemplate.class).queryForObject(question, String.class));
		}
		Map<Object, Object> values = new TreeMap<>();
		try (RedisConnection connection = this.context.getBean(RedisConnectionFactory.class).getConnection()) {
			values.putAll(connection.serverCommands().info());
			values.putAll(connection.serverCommands().getConfig("append*"));
		}
		catch (DataAccessException ex) {
			// The user may not ask.
		}
		// Of a cluster, the names begin with the nodes.
		return values.entrySet()
			.stream()
			.map(String::valueOf)
			.filter((value) -> value.matches(question))
			.collect(Collectors.joining(", "));
	}

	/** Stop using locks, and remove what this check has written. */
	void cleanUp() {
		registry().shutdown();
		if (this.texts.isJdbc()) {
			this.context.getBean(JdbcTemplate.class).execute(property("check.removal"));
			return;
		}
		for (String name : LOCKS) {
			for (String kind : List.of("lock:{", "queue:2:{", "readers:{")) {
				String key = property("distlock.key-prefix") + kind + request(name).key() + "}";
				this.context.getBean(StringRedisTemplate.class).delete(key);
			}
		}
	}

	/** The application: nothing but what Spring Boot and the library configure. */
	@EnableAutoConfiguration
	static class LockingApplication {

	}

}
