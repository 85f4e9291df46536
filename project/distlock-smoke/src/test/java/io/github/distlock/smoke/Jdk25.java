package io.github.distlock.smoke;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.installed.Installed;

/**
 * Finds a JDK 25 on this machine.
 */
final class Jdk25 {

	private Jdk25() {
	}

	/**
	 * Look at {@code -Ddistlock.jdk25}, at the variables that the common build servers
	 * set, at the JDK that runs, and at those beside it. Without one the test is skipped.
	 * @return its {@code java}
	 */
	static Path assume() {
		Path running = Path.of(System.getProperty("java.home"));
		Stream<Path> named = Stream
			.of(System.getProperty("distlock.jdk25"), System.getenv("JAVA_HOME_25"), System.getenv("JAVA_HOME_25_X64"),
					System.getenv("JAVA_HOME_25_ARM64"))
			.filter(Objects::nonNull)
			.map(Path::of);
		File[] neighbours = running.resolveSibling("").toFile().listFiles(File::isDirectory);
		Stream<Path> installed = (neighbours != null) ? Arrays.stream(neighbours).map(File::toPath).sorted()
				: Stream.empty();
		return Stream.of(named, Stream.of(running), installed)
			.flatMap((homes) -> homes)
			.filter((home) -> !Installed.areHidden())
			.filter(Jdk25::isOne)
			.map((home) -> home.resolve("bin").resolve("java"))
			.filter(Files::isExecutable)
			.findFirst()
			.orElseThrow(() -> Installed.missing("JDK 25 (-Ddistlock.jdk25 or JAVA_HOME_25 name one)"));
	}

	private static boolean isOne(Path home) {
		try {
			return Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"25");
		}
		catch (IOException ex) {
			return false;
		}
	}

}
