package io.github.distlock.autoconfigure;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods that try once, with releases in the background.
 */
@ExtendWith(OutputCaptureExtension.class)
class BackgroundReleaseWarningTests {

	private static String[] warnings(CapturedOutput output, String release) {
		Contexts.withRedis()
			.withPropertyValues("distlock.release=" + release)
			.withBean(Jobs.class)
			.run((context) -> assertThat(context).hasNotFailed());
		return output.getAll().lines().filter((line) -> line.contains("tries once")).toArray(String[]::new);
	}

	@Test
	void theStartWarnsOfAMethodThatTriesOnce(CapturedOutput output) {
		assertThat(warnings(output, "background")).singleElement()
			.asString()
			.contains("Jobs.once() tries once (waitTime \"0\"), and distlock.release=background")
			.contains("Give the method a short waitTime, or set distlock.release=confirmed");
	}

	@Test
	void nothingIsSaidIfReleasesAreConfirmed(CapturedOutput output) {
		assertThat(warnings(output, "confirmed")).isEmpty();
	}

	static class Jobs {

		@DistributedLock(key = "'job'", waitTime = "0")
		public void once() {
		}

		@DistributedLock(key = "'job'", waitTime = "1s")
		public void patient() {
		}

		@DistributedLock(key = "'kept'", waitTime = "0", minHold = "10s")
		public void scheduled() {
		}

	}

}
