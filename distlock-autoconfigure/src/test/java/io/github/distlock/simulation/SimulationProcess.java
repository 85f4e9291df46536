package io.github.distlock.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Other JVMs that run seeds, see {@link SimulationMain}. The engine logs nothing there.
 */
final class SimulationProcess {

	private static final Pattern FOUND = Pattern
		.compile(Pattern.quote(SimulationMain.VIOLATION) + "(-?\\d+) ([^:]*): (.*)");

	private static final Pattern HASH = Pattern.compile(Pattern.quote(SimulationMain.HASH) + "(-?\\d+) (\\w+)");

	private static final Pattern TOTAL = Pattern.compile(Pattern.quote(SimulationMain.TOTAL) + "(.*)=(\\d+)");

	private final List<Path> classPathFirst;

	private SimulationProcess(List<Path> classPathFirst) {
		this.classPathFirst = classPathFirst;
	}

	static SimulationProcess create() {
		return new SimulationProcess(List.of());
	}

	/** With classes that replace those of the library. */
	SimulationProcess withClasses(Path folder) {
		return new SimulationProcess(List.of(folder));
	}

	/** How many processes run at a time. */
	static int atATime() {
		return Integer.getInteger("simulation.processes", Runtime.getRuntime().availableProcessors());
	}

	/** Run seeds in several processes. */
	Findings runInParallel(SeedRange seeds) throws InterruptedException {
		int processes = (int) Math.min(atATime(), seeds.count());
		Queue<Findings> found = new ConcurrentLinkedQueue<>();
		List<Thread> threads = IntStream.range(0, processes)
			.mapToObj((number) -> new Thread(() -> found.add(run(seeds.share(number, processes)))))
			.toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		if (found.size() < processes) {
			throw new IllegalStateException("A process of the simulation has failed, see above");
		}
		return found.stream().reduce(Findings.NONE, Findings::and);
	}

	/** Run seeds in one process. */
	Findings run(SeedRange seeds) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
						"-XX:TieredStopAtLevel=1", "-Xmx512m", "-Xshare:auto",
						"-Dorg.apache.commons.logging.LogFactory=org.apache.commons.logging.impl.LogFactoryImpl",
						"-Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog"));
		command.addAll(List.of("-cp", classPath(), SimulationMain.class.getName()));
		command.addAll(seeds.arguments());
		try {
			Path errors = Files.createTempFile("simulation", ".err");
			Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
			Thread ending = new Thread(process::destroyForcibly);
			Runtime.getRuntime().addShutdownHook(ending);
			Findings findings = read(process);
			process.onExit().join();
			Runtime.getRuntime().removeShutdownHook(ending);
			String text = Files.readString(errors);
			Files.delete(errors);
			if (process.exitValue() != 0 || (findings.totals().isEmpty() && findings.violations().isEmpty())) {
				throw new IllegalStateException("The simulation ended with " + process.exitValue() + ": " + text);
			}
			return findings;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String classPath() {
		StringBuilder path = new StringBuilder();
		this.classPathFirst
			.forEach((folder) -> path.append(folder.toAbsolutePath()).append(System.getProperty("path.separator")));
		return path.append(System.getProperty("java.class.path")).toString();
	}

	private static Findings read(Process process) throws IOException {
		List<Found> violations = new ArrayList<>();
		Map<Long, String> hashes = new TreeMap<>();
		Map<String, Long> totals = new TreeMap<>();
		try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
			for (String line; (line = reader.readLine()) != null;) {
				Matcher found = FOUND.matcher(line);
				Matcher hash = HASH.matcher(line);
				Matcher total = TOTAL.matcher(line);
				if (found.matches()) {
					violations.add(new Found(Long.parseLong(found.group(1)), found.group(2), found.group(3)));
				}
				else if (hash.matches()) {
					hashes.put(Long.parseLong(hash.group(1)), hash.group(2));
				}
				else if (total.matches()) {
					totals.put(total.group(1), Long.parseLong(total.group(2)));
				}
			}
		}
		return new Findings(violations, hashes, totals);
	}

	/**
	 * A violation.
	 *
	 * @param seed the seed that has it
	 * @param property such as {@code S1}
	 * @param text what happened
	 */
	record Found(long seed, String property, String text) {

		@Override
		public String toString() {
			return "seed " + this.seed + ": " + this.property + ": " + this.text;
		}

	}

	/**
	 * What processes have found.
	 *
	 * @param violations the violations
	 * @param hashes the hash of each seed, if asked for
	 * @param totals what happened how often in all seeds
	 */
	record Findings(List<Found> violations, Map<Long, String> hashes, Map<String, Long> totals) {

		static final Findings NONE = new Findings(List.of(), Map.of(), Map.of());

		Findings and(Findings others) {
			List<Found> all = new ArrayList<>(this.violations);
			all.addAll(others.violations);
			all.sort(Comparator.comparingLong(Found::seed));
			Map<Long, String> allHashes = new TreeMap<>(this.hashes);
			allHashes.putAll(others.hashes);
			Map<String, Long> sums = new TreeMap<>(this.totals);
			others.totals.forEach((name, number) -> sums.merge(name, number, Long::sum));
			return new Findings(all, allHashes, sums);
		}

		long total(String name) {
			return this.totals.getOrDefault(name, 0L);
		}

		/** What happened, in all and for each seed. */
		List<String> report() {
			long seeds = Math.max(1, total("seeds"));
			return this.totals.entrySet()
				.stream()
				.map((each) -> String.format("%-28s %,12d %10.2f per seed", each.getKey(), each.getValue(),
						each.getValue() / (double) seeds))
				.toList();
		}

	}

}
