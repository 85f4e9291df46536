package io.github.distlock.smoke;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootVersion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The page docs/compatibility.md has a row of each version that the build runs.
 */
class CompatibilityPageTests {

	@Test
	void thePageSaysThatTheVersionOfThisBuildPassed() throws IOException {
		String version = SpringBootVersion.getVersion();
		assumeTrue(Files.readString(Path.of("..", "pom.xml")).contains(".version>" + version + "</"),
				version + " is not a version of the build");
		assertThat(CompatibilityTable.of(Files.readString(CombinationRecorder.PAGE))
			.result(version + "|17|platform|Lettuce", "Redis 6.2"))
			.as("Write the row: mvn verify -pl project/distlock-smoke/%s -Dtest=SmokeTests "
					+ "-Dsurefire.failIfNoSpecifiedTests=false -Ddistlock.docs.write=true",
					Path.of("").toAbsolutePath().getFileName())
			.matches("\\d+ of \\d+");
	}

}
