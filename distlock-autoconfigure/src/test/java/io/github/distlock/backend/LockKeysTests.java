package io.github.distlock.backend;

import java.time.Duration;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> LockKeys.validate(""))
			.withMessageContaining("blank");
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockKeys.validate("\u00e4".repeat(257)))
			.withMessageContaining("514 bytes");
		LockKeys.validate("\u00e4".repeat(256));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\nb", "a\rb", "a\tb", "a\u0000b", "a\u001bb", "a\u007fb", "a\u0085b", "a\u009fb",
			"a\u2028b", "a\u2029b" })
	void aControlCharacterIsRefusedAndNotRepeated(String key) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> LockKeys.validate(key))
			.withMessage("The lock key 'a?b' contains a control character (shown as ?): remove line breaks, tabs and "
					+ "other control characters from it");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> LockRequest.of("order").name(key))
			.withMessageContaining("'a?b' contains a control character (shown as ?)");
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of(key).leaseTime(Duration.ofMillis(1)))
			.withMessageContaining("'a?b'");
	}

}
