package io.github.distlock.smoke;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The smoke application with an AOT cache of Java 25, which its first run has made.
 */
@Tag("full")
@Tag(Installed.TAG)
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class AotCacheTests {

	@Test
	void theApplicationStartsAndLocksWithTheClassesOfTheCache(@TempDir Path folder)
			throws IOException, InterruptedException {
		Path java = Jdk25.assume();
		Path cache = folder.resolve("smoke.aot");
		String classPath = jars(folder);
		try (RedisProcess redis = RedisProcess.ofTheBuild()) {
			assertThat(run(java, classPath, redis, "-XX:AOTCacheOutput=" + cache)).contains("locked with token ");
			assertThat(cache).isNotEmptyFile();
			assertThat(run(java, classPath, redis, "-XX:AOTCache=" + cache, "-XX:AOTMode=on", "-Xlog:class+load"))
				.contains("locked with token ")
				.containsPattern("io\\.github\\.distlock\\.\\S+\\.BackendLockRegistry source: shared objects file");
		}
	}

	private static String run(Path java, String classPath, RedisProcess redis, String... options)
			throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(java.toString()));
		command.addAll(List.of(options));
		command.addAll(List.of("-cp", classPath, "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
				LockingOnce.class.getName(), Integer.toString(redis.port())));
		Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(child.waitFor()).as(output).isZero();
		return output;
	}

	/** A cache takes classes from jar files only. */
	private static String jars(Path folder) {
		List<String> jars = new ArrayList<>();
		for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
			jars.add(Files.isDirectory(Path.of(entry)) ? jar(entry, folder.resolve(jars.size() + ".jar")) : entry);
		}
		return String.join(File.pathSeparator, jars);
	}

	/**
	 * The tool writes entries for folders, too, without which Spring finds no component.
	 */
	private static String jar(String classes, Path jar) {
		int status = ToolProvider.findFirst("jar")
			.orElseThrow()
			.run(System.out, System.err, "--create", "--file", jar.toString(), "-C", classes, ".");
		assertThat(status).isZero();
		return jar.toString();
	}

}
