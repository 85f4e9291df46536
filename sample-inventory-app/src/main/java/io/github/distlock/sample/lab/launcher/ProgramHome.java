package io.github.distlock.sample.lab.launcher;

import java.io.File;
import java.nio.file.Path;

import org.springframework.boot.system.ApplicationHome;

/**
 * The folder of this program: the build folder, independent of the working directory.
 */
final class ProgramHome {

	private ProgramHome() {
	}

	/**
	 * Find the folder to write to.
	 * @return the folder of the executable jar or of the classes
	 */
	static Path find() {
		File source = new ApplicationHome(ProgramHome.class).getSource();
		return (source != null) ? of(source.toPath()) : Path.of("").toAbsolutePath();
	}

	/**
	 * Return the folder of a program.
	 * @param source its jar, or the root of its classes
	 * @return the folder of the one or the other
	 */
	static Path of(Path source) {
		Path folder = source.toAbsolutePath().getParent();
		return (folder != null) ? folder : source.toAbsolutePath();
	}

}
