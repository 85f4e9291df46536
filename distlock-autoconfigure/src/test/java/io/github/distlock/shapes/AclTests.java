package io.github.distlock.shapes;

import java.nio.file.Path;

import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockRedisAutoConfiguration;
import io.github.distlock.testing.RedisProcess;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The documented rights, on the Redis of the build.
 */
class AclTests extends AclContract {

	@Override
	Path executable() {
		return RedisProcess.embedded();
	}

	@Test
	void aFailFastApplicationNamesTheMissingRight() throws Exception {
		redis().ask(
				DocumentedRights.standalone().stream().filter((word) -> !word.equals("+zrank")).toArray(String[]::new));
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
					DistlockRedisAutoConfiguration.class, DistlockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=" + redis().port(), "spring.data.redis.username=distlock",
					"spring.data.redis.password=password", "distlock.fail-fast=true")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("refuses a command for lack of rights (ZRANK: "));
	}

}
