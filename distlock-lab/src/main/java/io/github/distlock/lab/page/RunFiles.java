package io.github.distlock.lab.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.stereotype.Component;

/**
 * The records of the last runs, one file each.
 */
@Component
class RunFiles {

	static final int KEPT = 20;

	private static final Pattern NAME = Pattern.compile("[a-z0-9]{1,20}");

	private final Path folder;

	RunFiles(LabSettings settings) {
		this.folder = settings.folder().resolve("lab-runs");
	}

	/**
	 * Write the record of a run, and delete those of the oldest runs.
	 * @param events all events of the run
	 */
	void write(EventLog.Batch events) {
		try {
			Files.createDirectories(this.folder);
			// A reader sees the whole file or none.
			Path part = this.folder.resolve(events.run() + ".part");
			Files.writeString(part, json(events.events()));
			Files.move(part, file(events.run()), StandardCopyOption.REPLACE_EXISTING);
			for (Path old : oldest()) {
				Files.deleteIfExists(old);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The record of run '%s' cannot be written to %s: %s".formatted(events.run(),
					this.folder, ex.getMessage()), ex);
		}
	}

	/**
	 * Find the record of a run.
	 * @param run name of the run, as a caller has it
	 * @return the file, if there is one
	 */
	Optional<Path> find(String run) {
		return Optional.of(run)
			.filter((name) -> NAME.matcher(name).matches())
			.map(this::file)
			.filter(Files::isRegularFile);
	}

	/**
	 * Write events as a record.
	 * @param events the events as JSON
	 * @return the record as JSON
	 */
	static String json(List<String> events) {
		return "{\"format\":\"distlock-lab-record\",\"version\":1,\"events\":[\n" + String.join(",\n", events)
				+ "\n]}\n";
	}

	private Path file(String run) {
		return this.folder.resolve(run + ".json");
	}

	private List<Path> oldest() throws IOException {
		try (Stream<Path> files = Files.list(this.folder)) {
			return files.filter((file) -> file.toString().endsWith(".json"))
				.sorted(Comparator.comparing(RunFiles::time).reversed())
				.skip(KEPT)
				.toList();
		}
	}

	private static FileTime time(Path file) {
		try {
			return Files.getLastModifiedTime(file);
		}
		catch (IOException ex) {
			return FileTime.fromMillis(0);
		}
	}

}
