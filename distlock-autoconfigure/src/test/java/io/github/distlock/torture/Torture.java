package io.github.distlock.torture;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.github.distlock.testing.ChildProcess;
import io.github.distlock.torture.check.Checker;
import io.github.distlock.torture.check.History;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;
import io.github.distlock.torture.check.Violation;

import org.springframework.util.FileSystemUtils;

/**
 * One run: starts a server and workers, lets the nemesis inject faults, stops all of
 * them, and checks the history.
 */
record Torture(TortureSettings settings, Path folder, PrintStream out) {

	/** The time after which the line of an event is in the file. */
	private static final long WRITTEN_AFTER_NANOS = 1_000_000_000;

	/** Run, and check the history. Its folder is emptied first. */
	List<Violation> run() throws Exception {
		clear();
		record();
		History history = History.read(this.folder, Long.MAX_VALUE);
		List<Violation> violations = Checker.check(history);
		long granted = history.attempts().stream().filter((attempt) -> attempt.isGranted()).count();
		this.out.println("Seed " + this.settings.seed() + ": " + history.attempts().size() + " attempts, " + granted
				+ " entries, " + history.faults().size() + " faults, " + violations.size() + " violations");
		this.out.println("Losses: " + history.events(Kind.LOST)
			.stream()
			.collect(Collectors.groupingBy((event) -> event.text("cause"), TreeMap::new, Collectors.counting())));
		if (!history.events(Kind.POLLED).isEmpty()) {
			this.out.println("Not checked, since the store is polled: S8 and the rules of readers");
		}
		if (!violations.isEmpty()) {
			this.out.println("The history is in " + this.folder.toAbsolutePath());
			violations.stream().limit(10).forEach((violation) -> this.out.println(violation.describe(history.begin())));
		}
		return violations;
	}

	private void record() throws Exception {
		try (HistoryWriter nemesisLog = new HistoryWriter(this.folder.resolve("nemesis.log"));
				HistoryWriter resourceLog = new HistoryWriter(this.folder.resolve("resource.log"));
				HistoryWriter storeLog = new HistoryWriter(this.folder.resolve("store.log"));
				FencedResource resource = new FencedResource(resourceLog);
				Store store = Store.start(storeLog, this.settings.load());
				Workers workers = new Workers(this.settings, this.folder, store.port(), resource.port())) {
			workers.awaitReady();
			if (!new Nemesis(this.settings, store, workers, nemesisLog).injectFaults(this::isEnough)) {
				workers.stop();
				store.recordLeftOvers();
			}
		}
	}

	private boolean isEnough() {
		return this.settings.impatient()
				&& !Checker.check(History.read(this.folder, System.nanoTime() - WRITTEN_AFTER_NANOS)).isEmpty();
	}

	static void pause(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		for (long left; (left = end - System.nanoTime()) > 0;) {
			LockSupport.parkNanos(left);
		}
	}

	private void clear() throws IOException {
		FileSystemUtils.deleteRecursively(this.folder);
		Files.createDirectories(this.folder);
		Files.writeString(this.folder.resolve("logback.xml"), ChildProcess.logging("WARN"));
	}

}
