package io.github.distlock.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A launcher that is killed.
 */
class KilledLauncherTests {

	@Test
	void leavesNoProcessBehind(@TempDir Path folder) throws Exception {
		String java = ProcessHandle.current().info().command().orElse("java");
		Process launcher = new ProcessBuilder(java, "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"), "-cp",
				System.getProperty("java.class.path"), Benchmarks.class.getName(), "--workloads=hot-2x1",
				"--contenders=redisson", "--warm-up=60s", "--pin=off", "--output=" + folder)
			.redirectErrorStream(true)
			.redirectOutput(folder.resolve("output.txt").toFile())
			.start();
		List<ProcessHandle> family = new ArrayList<>();
		try {
			// The keeper, its server and two workers.
			await().atMost(Duration.ofMinutes(2)).until(() -> launcher.descendants().count() >= 4);
			family.addAll(launcher.descendants().toList());
			launcher.destroyForcibly().waitFor();
			await().atMost(Duration.ofMinutes(2))
				.untilAsserted(() -> assertThat(family).noneMatch(ProcessHandle::isAlive));
		}
		finally {
			launcher.destroyForcibly();
			family.forEach(ProcessHandle::destroyForcibly);
		}
	}

}
