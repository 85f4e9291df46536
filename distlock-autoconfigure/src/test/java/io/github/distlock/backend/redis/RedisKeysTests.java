package io.github.distlock.backend.redis;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.distlock.LockDefinitionException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The names of keys in Redis.
 */
class RedisKeysTests {

	private final RedisKeys keys = new RedisKeys("distlock:");

	@Test
	void differentKeysHaveDifferentNamesFromWhichTheyCanBeRead() {
		Set<String> names = new HashSet<>();
		for (String key : List.of("a", "{a}", "}a", "{}", "{", "}", "%", "%25", "%7B", "%257B", "a:queue", "a\nb",
				"lock:{a}", "\u9396", "a|b")) {
			String name = this.keys.lock(key);
			assertThat(names.add(name)).as(key).isTrue();
			assertThat(this.keys.keyOf(name)).isEqualTo(key);
			assertThat(names.add(this.keys.lockAndQueue(key).get(1))).isTrue();
		}
	}

	@Test
	void theUsersKeyIsTheHashTag() {
		for (String key : List.of("a", "{a}b", "}{", "{}x")) {
			for (String name : this.keys.lockAndQueue(key)) {
				assertThat(name.indexOf('{')).isEqualTo(name.lastIndexOf('{')).isPositive();
				assertThat(name.indexOf('}')).isEqualTo(name.length() - 1);
				assertThat(name.indexOf('}') - name.indexOf('{')).isGreaterThan(1);
			}
		}
	}

	@Test
	void aPrefixWithBracesIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> new RedisKeys("my{app}:"))
			.withMessageContaining("my{app}:");
	}

}
