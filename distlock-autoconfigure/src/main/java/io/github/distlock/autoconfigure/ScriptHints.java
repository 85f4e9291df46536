package io.github.distlock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers the resources and the field that are accessed by name: the Lua and SQL
 * scripts, and the field of Lettuce's connection factory from which dedicated connections
 * are configured.
 */
class ScriptHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern("io/github/distlock/backend/redis/*.lua")
			.registerPattern("io/github/distlock/backend/jdbc/*.sql")
			.registerPattern("io/github/distlock/backend/jdbc/sql/*.sql");
		hints.reflection()
			.registerTypeIfPresent(classLoader,
					"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
					(type) -> type.withField("configuration"));
	}

}
