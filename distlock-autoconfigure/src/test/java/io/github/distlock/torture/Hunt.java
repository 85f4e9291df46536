package io.github.distlock.torture;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.torture.check.Violation;
import io.github.distlock.torture.worker.WorkerSettings.Load;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * A mutant, and the torture settings that are most likely to detect it.
 *
 * @param mutant the mutant
 * @param settings the torture settings
 * @param valkey whether it needs a server with native commands
 * @param properties what the workers read as system properties, which differ from those
 * of the run
 */
record Hunt(Mutant mutant, TortureSettings settings, boolean valkey, Map<String, String> properties) {

	private static final Duration LONGEST = Duration.ofMinutes(5);

	static Hunt of(Mutant mutant) {
		return new Hunt(mutant, TortureSettings.usual(1, LONGEST), false, Map.of());
	}

	/** A server with native commands, which replace most scripts. */
	Hunt onValkey() {
		return new Hunt(this.mutant, this.settings, true, this.properties);
	}

	/** Pauses and disconnections that are longer than a session, readers and writers. */
	Hunt onZooKeeper() {
		return with(new Load(4, 1, 2000, 0, 0.7, 0, 60, 0, 0.5, 0),
				EnumSet.of(FaultKind.PAUSE_HOLDER, FaultKind.REFUSE), Duration.ofSeconds(8), Duration.ofMillis(100),
				Duration.ofMillis(300))
			.with("torture.store", "zookeeper");
	}

	/** Releases in the background. */
	Hunt inBackground() {
		return with("torture.release", "background");
	}

	private Hunt with(String property, String value) {
		Map<String, String> changed = new LinkedHashMap<>(this.properties);
		changed.put(property, value);
		return new Hunt(this.mutant, this.settings, this.valkey, changed);
	}

	/** Whether the server of this run has what the mutant changes. */
	boolean isPossible() {
		return !this.valkey || RedisProcess.embedded().endsWith(Installed.VALKEY_SERVER.program());
	}

	/** Normal load: many threads, short critical sections, one key. */
	Hunt quiet() {
		return with(new Load(6, 1, 500, 0, 1, 0, 100, 0, 0, 0), EnumSet.of(FaultKind.SCRIPT_FLUSH),
				Duration.ofSeconds(1), Duration.ofSeconds(11), Duration.ofMillis(300));
	}

	/** Normal load: few threads, many keys, which are free most of the time. */
	Hunt spread() {
		return with(new Load(1, 6, 500, 0, 1, 0, 60, 0, 0, 0), EnumSet.of(FaultKind.SCRIPT_FLUSH),
				Duration.ofSeconds(1), Duration.ofSeconds(12), Duration.ofMillis(300));
	}

	/** Short critical sections on keys that are mostly free, each used by all JVMs. */
	Hunt brief() {
		return with(new Load(1, 3, 500, 0, 1, 0, 4, 0, 0, 0), EnumSet.of(FaultKind.SCRIPT_FLUSH), Duration.ofSeconds(1),
				Duration.ofSeconds(12), Duration.ofMillis(300));
	}

	/** Late commands and replies, pauses at the wrong moment. */
	Hunt slow() {
		return slow(new Load(4, 1, 500, 0, 0.7, 0.4, 300, 0, 0, 0));
	}

	/** The same on keys that are often free. */
	Hunt slowAndSpread() {
		return slow(new Load(2, 6, 400, 0, 0.7, 0.4, 300, 0, 0, 0));
	}

	private Hunt slow(Load load) {
		return with(load,
				EnumSet.of(FaultKind.SLOW, FaultKind.PAUSE_HOLDER, FaultKind.PAUSE_ACQUIRING, FaultKind.PAUSE_RELEASING,
						FaultKind.PAUSE_RENEWING),
				Duration.ofSeconds(8), Duration.ofMillis(100), Duration.ofMillis(300));
	}

	/** Renewals that arrive while another caller holds the lock for long. */
	Hunt lateRenewals() {
		return with(new Load(2, 1, 400, 0, 1, 0.5, 2500, 0, 0, 0), EnumSet.of(FaultKind.SLOW, FaultKind.LATE_COPIES),
				Duration.ofSeconds(10), Duration.ofMillis(100), Duration.ofMillis(300));
	}

	/** Callers that die between one command and the next. */
	Hunt killingCallers() {
		return with(new Load(2, 6, 500, 0, 1, 0, 60, 0, 0, 0), EnumSet.of(FaultKind.KILL_ACQUIRING),
				Duration.ofSeconds(10), Duration.ofSeconds(11), Duration.ofMillis(300));
	}

	/** Callers that wait without limit for dead holders, while no new caller arrives. */
	Hunt patient() {
		return with(new Load(3, 1, 500, 0, 1, 0, 60, 0, 0, 0), EnumSet.of(FaultKind.KILL_HOLDER), Duration.ofSeconds(1),
				Duration.ofSeconds(13), Duration.ofSeconds(14));
	}

	/** Callers whose attempt succeeds but whose reply is lost, with long leases. */
	Hunt losingReplies() {
		return with(new Load(4, 3, 500, 0, 0.4, 0.6, 60, 0, 0, 0), EnumSet.of(FaultKind.LOSE_REPLIES),
				Duration.ofSeconds(4), Duration.ofSeconds(12), Duration.ofMillis(300));
	}

	/** A constant stream of readers, and writers that wait. */
	Hunt reading() {
		return with(new Load(4, 1, 500, 0, 1, 0, 60, 0, 0.95, 0), EnumSet.of(FaultKind.SCRIPT_FLUSH),
				Duration.ofSeconds(1), Duration.ofSeconds(11), Duration.ofMillis(300));
	}

	/** A constant stream of readers, of whom some may hold the lock. */
	Hunt sharing() {
		return with(new Load(4, 1, 500, 0, 1, 0, 60, 0, 0.95, 3), EnumSet.of(FaultKind.SCRIPT_FLUSH),
				Duration.ofSeconds(1), Duration.ofSeconds(11), Duration.ofMillis(300));
	}

	private Hunt with(Load load, Set<FaultKind> faults, Duration storm, Duration calm, Duration replacement) {
		return new Hunt(this.mutant, this.settings.withLoad(load).withFaults(faults, storm, calm, replacement),
				this.valkey, this.properties);
	}

	/**
	 * Torture the mutant until a guarantee is violated. Answers the violations, none if
	 * it survived.
	 */
	List<Violation> run(Path folder, PrintStream out) throws InterruptedException {
		FileSystemUtils.deleteRecursively(folder.resolve("classes").toFile());
		this.mutant.applyTo(folder);
		Map<String, @Nullable String> before = new LinkedHashMap<>();
		this.properties.forEach((name, value) -> before.put(name, System.setProperty(name, value)));
		try {
			return new Torture(this.settings.against(List.of(folder.resolve("classes"))), folder.resolve("history"),
					out)
				.run();
		}
		finally {
			before.forEach(Hunt::restore);
		}
	}

	private static void restore(String property, @Nullable String value) {
		if (value == null) {
			System.clearProperty(property);
		}
		else {
			System.setProperty(property, value);
		}
	}

	@Override
	public String toString() {
		return this.mutant.name();
	}

}
