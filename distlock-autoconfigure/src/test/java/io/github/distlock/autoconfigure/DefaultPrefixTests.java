package io.github.distlock.autoconfigure;

import io.github.distlock.LockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The log line about the prefix that all applications have by default.
 */
@ExtendWith(OutputCaptureExtension.class)
class DefaultPrefixTests {

	private static final String MESSAGE = "distlock.key-prefix is not set";

	@Test
	void theStartNamesTheDefaultPrefixOnceAndWhatItIsCommonTo(CapturedOutput output) {
		Contexts.withRedis()
			.withPropertyValues("spring.data.redis.host=127.0.0.1")
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class));
		assertThat(output).containsOnlyOnce(
				MESSAGE + ". The default, 'distlock:', is common to all applications on Redis at 127.0.0.1:1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "distlock.key-prefix=shop:", "distlock.key-prefix=distlock:", "distlock.backend=local",
			"distlock.enabled=false" })
	void aPrefixThatIsSetOrOfNoRedisIsNotMentioned(String property, CapturedOutput output) {
		Contexts.withRedis()
			.withPropertyValues(property)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class));
		assertThat(output).doesNotContain(MESSAGE);
	}

}
