package io.github.distlock.torture;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.torture.check.Violation;
import io.github.distlock.torture.worker.WorkerSettings.Load;

import org.springframework.util.FileSystemUtils;

/**
 * A mutant, and the torture settings that are most likely to detect it.
 *
 * @param conditions its cells of {@link #CONDITIONS}
 * @param valkey whether it needs a server with native commands, which replace most
 * scripts
 * @param properties what the workers read as system properties, which differ from those
 * of the run
 */
record Hunt(Mutant mutant, List<String> conditions, boolean valkey, Map<String, String> properties) {

	private static final Duration LONGEST = Duration.ofMinutes(5);

	/**
	 * Each row has a name, the {@link Load}, in milliseconds the durations of each period
	 * with faults and of each pause between them and the delay after which a dead worker
	 * is replaced, and the faults.
	 */
	private static final Map<String, List<String>> CONDITIONS = """
			usual           | 4,3,600,0,0.3,0.1,60,150,0,0 |  9000 | 11000 |   300 | all
			-- Normal load: many threads, short critical sections, one key
			quiet           | 6,1,500,0,1,0,100,0,0,0     |  1000 | 11000 |   300 | SCRIPT_FLUSH
			-- Normal load: few threads, many keys, which are free most of the time
			spread          | 1,6,500,0,1,0,60,0,0,0      |  1000 | 12000 |   300 | SCRIPT_FLUSH
			-- Short critical sections on keys that are mostly free, each used by all JVMs
			brief           | 1,3,500,0,1,0,4,0,0,0       |  1000 | 12000 |   300 | SCRIPT_FLUSH
			-- Late commands and replies, pauses at the wrong moment
			slow            | 4,1,500,0,0.7,0.4,300,0,0,0 |  8000 |   100 |   300 | SLOW,PAUSE_HOLDER,PAUSE_ACQUIRING,PAUSE_RELEASING,PAUSE_RENEWING
			-- The same on keys that are often free
			slow-and-spread | 2,6,400,0,0.7,0.4,300,0,0,0 |  8000 |   100 |   300 | SLOW,PAUSE_HOLDER,PAUSE_ACQUIRING,PAUSE_RELEASING,PAUSE_RENEWING
			-- Renewals that arrive while another caller holds the lock for long
			late-renewals   | 2,1,400,0,1,0.5,2500,0,0,0  | 10000 |   100 |   300 | SLOW,LATE_COPIES
			-- Callers that die between one command and the next
			killing-callers | 2,6,500,0,1,0,60,0,0,0      | 10000 | 11000 |   300 | KILL_ACQUIRING
			-- Callers that wait without limit for dead holders, while no new caller arrives
			patient         | 3,1,500,0,1,0,60,0,0,0      |  1000 | 13000 | 14000 | KILL_HOLDER
			-- Callers whose attempt succeeds but whose reply is lost, with long leases
			losing-replies  | 4,3,500,0,0.4,0.6,60,0,0,0  |  4000 | 12000 |   300 | LOSE_REPLIES
			-- A constant stream of readers, and writers that wait
			reading         | 4,1,500,0,1,0,60,0,0.95,0   |  1000 | 11000 |   300 | SCRIPT_FLUSH
			-- A constant stream of readers, of whom some may hold the lock
			sharing         | 4,1,500,0,1,0,60,0,0.95,3   |  1000 | 11000 |   300 | SCRIPT_FLUSH
			-- Pauses and disconnections that are longer than a session, readers and writers
			sessions        | 4,1,2000,0,0.7,0,60,0,0.5,0 |  8000 |   100 |   300 | PAUSE_HOLDER,REFUSE
			"""
		.lines()
		.filter((row) -> !row.startsWith("--"))
		.map((row) -> List.of(row.split(" *\\| *")))
		.collect(Collectors.toMap((cells) -> cells.get(0), Function.identity()));

	/**
	 * The words of a mutant are the name of conditions, {@code valkey} if it needs that,
	 * and properties.
	 */
	static Hunt of(Mutant mutant) {
		List<String> words = List.of(mutant.net().split(" "));
		Map<String, String> properties = words.stream()
			.filter((word) -> word.contains("="))
			.map((word) -> word.split("="))
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> parts[1]));
		return new Hunt(mutant.edits().isEmpty() ? Mutants.ofSimulation(mutant.name()) : mutant,
				Objects.requireNonNull(CONDITIONS.get(words.get(0)), mutant.net()), words.contains("valkey"),
				properties);
	}

	/** Whether the server of this run has what the mutant changes. */
	boolean isPossible() {
		return !this.valkey || RedisProcess.embedded().endsWith(Installed.VALKEY_SERVER.program());
	}

	/**
	 * Torture the mutant until a guarantee is violated. Answers the violations, none if
	 * it survived.
	 */
	List<Violation> run(Path folder, PrintStream out) throws Exception {
		FileSystemUtils.deleteRecursively(folder.resolve("classes"));
		this.mutant.applyTo(folder);
		TortureSettings settings = new TortureSettings(1, LONGEST, Load.parse(this.conditions.get(1)),
				FaultKind.parse(this.conditions.get(5)), millis(2), millis(3), millis(4),
				List.of(folder.resolve("classes")), true);
		Properties before = (Properties) System.getProperties().clone();
		this.properties.forEach(System::setProperty);
		try {
			return new Torture(settings, folder.resolve("history"), out).run();
		}
		finally {
			System.setProperties(before);
		}
	}

	private Duration millis(int cell) {
		return Duration.ofMillis(Long.parseLong(this.conditions.get(cell)));
	}

	@Override
	public String toString() {
		return this.mutant.name();
	}

}
