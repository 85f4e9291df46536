package io.github.distlock.smoke;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The smoke application on Java 25, with the class files of this build.
 */
@Tag("full")
@Tag(Installed.TAG)
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class Java25Tests {

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void theSmokeTestsPass(boolean virtualThreads) throws IOException, InterruptedException {
		Path java = Jdk25.assume();
		List<String> command = new ArrayList<>(List.of(java.toString(), "-cp", System.getProperty("java.class.path"),
				"-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
				"-Dspring.threads.virtual.enabled=" + virtualThreads,
				"-Ddistlock.docs.write=" + Boolean.getBoolean("distlock.docs.write"), SmokeChild.class.getName()));
		Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(child.waitFor()).as(output).isZero();
	}

}
