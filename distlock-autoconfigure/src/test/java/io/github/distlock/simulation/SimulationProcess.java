package io.github.distlock.simulation;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.testing.ChildJvm;

import static java.util.stream.Collectors.joining;

/**
 * Other JVMs that run seeds, see {@link Simulation}. The engine logs nothing there.
 */
final class SimulationProcess {

	private final List<Path> classPathFirst;

	/** Create it with folders of classes that replace those of the library. */
	SimulationProcess(Path... classPathFirst) {
		this.classPathFirst = List.of(classPathFirst);
	}

	static int atATime() {
		return Integer.getInteger("simulation.processes", Runtime.getRuntime().availableProcessors());
	}

	Findings runInParallel(SeedRange seeds) throws InterruptedException {
		int processes = (int) Math.min(atATime(), seeds.count());
		Queue<List<String>> printed = new ConcurrentLinkedQueue<>();
		List<Thread> threads = IntStream.range(0, processes)
			.mapToObj((number) -> new Thread(() -> printed.add(lines(seeds.share(number, processes)))))
			.toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		if (printed.size() < processes) {
			throw new IllegalStateException("A process of the simulation has failed, see above");
		}
		return read(printed.stream().flatMap(List::stream).toList());
	}

	Findings run(SeedRange seeds) {
		return read(lines(seeds));
	}

	private List<String> lines(SeedRange seeds) {
		String path = Stream.concat(this.classPathFirst.stream(), Stream.of(System.getProperty("java.class.path")))
			.map(String::valueOf)
			.collect(joining(File.pathSeparator));
		List<String> options = List.of("-Xmx512m", "-Xshare:auto",
				"-Dorg.apache.commons.logging.LogFactory=org.apache.commons.logging.impl.LogFactoryImpl",
				"-Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog", "-cp", path);
		try (ChildJvm child = ChildJvm.start(options, Simulation.class, seeds.arguments())) {
			return child.linesBefore(Simulation.END);
		}
	}

	private static Findings read(List<String> lines) {
		List<Found> violations = new ArrayList<>();
		Map<Long, String> hashes = new TreeMap<>();
		Map<String, Long> totals = new TreeMap<>();
		for (String line : lines) {
			String[] words = line.split(" ", 3);
			switch (words[0]) {
				case "VIOLATION" -> violations
					.add(new Found(Long.parseLong(words[1]), words[2].split(": ")[0], words[2].split(": ", 2)[1]));
				case "HASH" -> hashes.put(Long.parseLong(words[1]), words[2]);
				case "TOTAL" -> totals.merge(words[2], Long.parseLong(words[1]), Long::sum);
				default -> {
				}
			}
		}
		violations.sort(Comparator.comparingLong(Found::seed));
		return new Findings(violations, hashes, totals);
	}

	/** A violation of a property such as {@code S1}. */
	record Found(long seed, String property, String text) {

		@Override
		public String toString() {
			return "seed " + this.seed + ": " + this.property + ": " + this.text;
		}

	}

	/**
	 * What processes have found: violations, the hash of each seed, and what happened how
	 * often in all seeds.
	 */
	record Findings(List<Found> violations, Map<Long, String> hashes, Map<String, Long> totals) {

		long total(String name) {
			return this.totals.getOrDefault(name, 0L);
		}

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
