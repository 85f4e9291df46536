package io.github.distlock.simulation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds a JDK of another version on this machine. */
final class OtherJdk {

	private OtherJdk() {
	}

	/**
	 * Look at {@code -Dsimulation.java.home}, at {@code -Ddistlock.jdk25}, at the
	 * variables that the common build servers set, and beside the JDK that runs.
	 * @return its home
	 */
	static Optional<Path> find() {
		Stream<Path> named = Stream.of(System.getProperty("simulation.java.home"), System.getProperty("distlock.jdk25"),
				System.getenv("JAVA_HOME_25"), System.getenv("JAVA_HOME_25_X64"), System.getenv("JAVA_HOME_25_ARM64"))
			.filter(Objects::nonNull)
			.map(Path::of);
		File[] neighbours = Path.of(System.getProperty("java.home"))
			.resolveSibling("")
			.toFile()
			.listFiles(File::isDirectory);
		Stream<Path> installed = (neighbours != null) ? Arrays.stream(neighbours).map(File::toPath).sorted()
				: Stream.empty();
		return Stream.concat(named, installed).filter(OtherJdk::isOne).findFirst();
	}

	private static boolean isOne(Path home) {
		try {
			return Files.isExecutable(home.resolve("bin").resolve("java")) && Files.readString(home.resolve("release"))
				.lines()
				.filter((line) -> line.startsWith("JAVA_VERSION="))
				.map((line) -> line.replaceAll("\\D+(\\d+).*", "$1"))
				.map(Integer::parseInt)
				.anyMatch((version) -> version >= 17 && version != Runtime.version().feature());
		}
		catch (IOException ex) {
			return false;
		}
	}

}
