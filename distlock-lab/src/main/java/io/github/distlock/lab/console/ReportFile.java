package io.github.distlock.lab.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file of {@code --report=}.
 */
public final class ReportFile {

	private ReportFile() {
	}

	/**
	 * Check that the report can be written, long before it is, and delete an older one:
	 * it must not pass for the report of a launch that failed. Creates missing folders.
	 * @param file the absolute path of the report
	 * @throws IllegalArgumentException if the report cannot be written
	 */
	public static void prepare(Path file) {
		if (Files.isDirectory(file)) {
			throw new IllegalArgumentException("--report=%s is a folder: name a file, such as --report=%s"
				.formatted(file, file.resolve("oversell-report.json")));
		}
		Path folder = file.getParent();
		try {
			if (folder != null) {
				Files.createDirectories(folder);
			}
		}
		catch (IOException ex) {
			throw new IllegalArgumentException(
					"--report=%s cannot be written, because its folder cannot be created (%s): name a file in a folder that exists"
						.formatted(file, ex),
					ex);
		}
		try {
			Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
			Files.delete(file);
		}
		catch (IOException ex) {
			throw new IllegalArgumentException(
					"--report=%s cannot be written (%s): name a file in a folder that you may write to".formatted(file,
							ex),
					ex);
		}
	}

}
