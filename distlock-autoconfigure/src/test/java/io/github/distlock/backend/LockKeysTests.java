package io.github.distlock.backend;

import io.github.distlock.LockDefinitionException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The keys that can be locked.
 */
class LockKeysTests {

	@Test
	void invalidKeysAreRefusedWithAMessageThatNamesThem() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> LockKeys.validate(" "))
			.withMessageContaining("blank");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> LockKeys.validate("x".repeat(513)))
			.withMessageContaining("513 bytes");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> LockKeys.validate("a\udc00"))
			.withMessageContaining("surrogate");
		LockKeys.validate("\u00e4".repeat(256));
	}

}
