package io.github.distlock.lab.processes;

import java.io.File;
import java.nio.file.Path;

import org.springframework.boot.system.ApplicationHome;

/**
 * The folder of this program: the build folder, independent of the working directory.
 */
public final class ProgramHome {

	private ProgramHome() {
	}

	/**
	 * Find the folder to write to.
	 * @param mainClass the main class of this program
	 * @return the folder of the executable jar or of the classes
	 */
	public static Path find(Class<?> mainClass) {
		File source = new ApplicationHome(mainClass).getSource();
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
