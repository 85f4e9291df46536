package io.github.distlock.autoconfigure;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hints for the native image of an application with a Redis or JDBC backend.
 */
class ScriptHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	ScriptHintsTests() {
		new ScriptHints().registerHints(this.hints, getClass().getClassLoader());
	}

	@Test
	void theFieldThatIsReadReflectivelyIsKept() {
		assertThat(ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration")).isNotNull();
		assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(LettuceConnectionFactory.class, "configuration"))
			.accepts(this.hints);
	}

	@Test
	void theScriptsAreKept() {
		assertThat(RuntimeHintsPredicates.resource().forResource("io/github/distlock/backend/redis/attempt.lua"))
			.accepts(this.hints);
	}

}
