package io.github.distlock.torture;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import io.github.distlock.torture.check.Violation;
import io.github.distlock.torture.nemesis.FaultKind;
import io.github.distlock.torture.worker.WorkerSettings.Load;

/**
 * A mutant, and the torture that is most likely to find it.
 *
 * @param mutant the mistake
 * @param settings the torture
 */
record Hunt(Mutant mutant, TortureSettings settings) {

	private static final Duration LONGEST = Duration.ofMinutes(5);

	static Hunt of(Mutant mutant) {
		return new Hunt(mutant, TortureSettings.usual(1, LONGEST));
	}

	/** Nothing to speak of: many threads, short sections, one key. */
	Hunt quiet() {
		return with(new Load(6, 1, 500, 0, 1, 0, 100, 0, 0), FaultKind.only(FaultKind.SCRIPT_FLUSH),
				Duration.ofSeconds(1), Duration.ofSeconds(11), Duration.ofMillis(300));
	}

	/**
	 * Nothing to speak of either: few threads, many keys that are free most of the time.
	 */
	Hunt spread() {
		return with(new Load(1, 6, 500, 0, 1, 0, 60, 0, 0), FaultKind.only(FaultKind.SCRIPT_FLUSH),
				Duration.ofSeconds(1), Duration.ofSeconds(12), Duration.ofMillis(300));
	}

	/** Commands and answers that come late, pauses at the wrong moment. */
	Hunt slow() {
		return with(new Load(4, 1, 500, 0, 0.7, 0.4, 300, 0, 0),
				FaultKind.only(FaultKind.SLOW, FaultKind.PAUSE_HOLDER, FaultKind.PAUSE_ACQUIRING,
						FaultKind.PAUSE_RELEASING, FaultKind.PAUSE_RENEWING),
				Duration.ofSeconds(8), Duration.ofMillis(100), Duration.ofMillis(300));
	}

	/** Renewals that arrive when somebody else holds, and holds for long. */
	Hunt lateRenewals() {
		return with(new Load(2, 1, 400, 0, 1, 0.5, 2500, 0, 0), FaultKind.only(FaultKind.SLOW, FaultKind.LATE_COPIES),
				Duration.ofSeconds(10), Duration.ofMillis(100), Duration.ofMillis(300));
	}

	/** Callers that die between one command and the next. */
	Hunt killingCallers() {
		return with(new Load(2, 6, 500, 0, 1, 0, 60, 0, 0), FaultKind.only(FaultKind.KILL_ACQUIRING),
				Duration.ofSeconds(10), Duration.ofSeconds(11), Duration.ofMillis(300));
	}

	/** Callers that wait for ever for holders that are dead, and nobody who comes new. */
	Hunt patient() {
		return with(new Load(3, 1, 500, 0, 1, 0, 60, 0, 0), FaultKind.only(FaultKind.KILL_HOLDER),
				Duration.ofSeconds(1), Duration.ofSeconds(13), Duration.ofSeconds(14));
	}

	/** Callers whose attempt has succeeded without their knowledge, with long leases. */
	Hunt losingReplies() {
		return with(new Load(4, 3, 500, 0, 0.4, 0.6, 60, 0, 0), FaultKind.only(FaultKind.LOSE_REPLIES),
				Duration.ofSeconds(4), Duration.ofSeconds(12), Duration.ofMillis(300));
	}

	/** Readers all the time, and writers who want to enter. */
	Hunt reading() {
		return with(new Load(4, 1, 500, 0, 1, 0, 60, 0, 0.95), FaultKind.only(FaultKind.SCRIPT_FLUSH),
				Duration.ofSeconds(1), Duration.ofSeconds(11), Duration.ofMillis(300));
	}

	private Hunt with(Load load, Set<FaultKind> faults, Duration storm, Duration calm, Duration replacement) {
		return new Hunt(this.mutant, this.settings.withLoad(load).withFaults(faults, storm, calm, replacement));
	}

	/**
	 * Torture the mutant until a promise is broken.
	 * @param folder for the mutant and its history
	 * @param out where to say what happens
	 * @return what was broken, nothing if it survived
	 */
	List<Violation> run(Path folder, PrintStream out) throws InterruptedException {
		delete(folder.resolve("classes"));
		this.mutant.applyTo(folder);
		return new Torture(this.settings.against(List.of(folder.resolve("classes"))), folder.resolve("history"), out)
			.run();
	}

	static void delete(Path folder) {
		if (!Files.exists(folder)) {
			return;
		}
		try (var files = Files.walk(folder)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String toString() {
		return this.mutant.name();
	}

}
