package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a launch has to show.
 */
interface Outcome {

	/**
	 * Whether everything came as it must.
	 */
	boolean asExpected();

	String toJson();

	String toTable();

	/**
	 * Say in one sentence whether everything came as it must.
	 */
	String conclusion();

	/**
	 * Write the report as JSON, in place of an older one.
	 * @param file where to
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
