package io.github.distlock.lab.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The result of a launch.
 */
public interface Outcome {

	/**
	 * Return whether every verdict is the expected one.
	 */
	boolean asExpected();

	/**
	 * Return the report as JSON.
	 */
	String toJson();

	/**
	 * Return a table of at most {@value Console#COLUMNS} columns.
	 * @param coloured whether verdicts have colours
	 */
	String toTable(boolean coloured);

	/**
	 * Say whether every verdict is the expected one, and what to try next.
	 */
	String conclusion();

	/**
	 * Write the report as JSON. Replaces an older report.
	 * @param file the file
	 * @throws IOException if it cannot be written
	 */
	default void write(Path file) throws IOException {
		Path folder = file.getParent();
		if (folder != null) {
			Files.createDirectories(folder);
		}
		Files.writeString(file, toJson() + "\n");
	}

}
