package io.github.distlock.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The programs that are installed on this machine.
 */
public final class Programs {

	private Programs() {
	}

	/**
	 * Find a program as a shell does.
	 * @param name the name of its executable
	 * @return its executable
	 */
	public static Optional<Path> onPath(String name) {
		return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.map((folder) -> Path.of(folder, name))
			.filter(Files::isExecutable)
			.findFirst();
	}

}
