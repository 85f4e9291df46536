package io.github.distlock.benchmarks.workers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.catalogue.PreviousVersion;
import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.UnavailableException;
import io.github.distlock.benchmarks.jvms.ChildJvm;

/**
 * The worker JVMs of a run, started when first needed and idle between slices. distlock,
 * an earlier version of it, and all other contenders have JVMs of their own: in a shared
 * JVM each is measured with what the others have left to its compilers, and the one that
 * comes first warms up the driver for all.
 */
public final class Crew implements AutoCloseable {

	/** The number of the worker that the slices with one worker have, too. */
	static final String FIRST_WORKER = number(0);

	private static final Duration PATIENCE = Duration.ofSeconds(300);

	private static final List<String> SMALL = List.of("-Xmx192m", "-Xss512k");

	private static final List<String> ROOMY = List.of("-Xmx1g", "-Xss256k");

	private final StoreAddress store;

	private final Path folder;

	private final SharedCounter counter;

	private final Map<String, List<ChildJvm>> workers = new HashMap<>();

	/**
	 * Make a crew without workers.
	 * @param store where locks are kept
	 * @param folder for a file that workers share and one that they log to
	 */
	public Crew(StoreAddress store, Path folder) {
		this.store = store;
		this.folder = folder;
		this.counter = new SharedCounter(counterFile());
	}

	/**
	 * Open a contender in all JVMs of a shape.
	 * @param contender which
	 * @param shape how many JVMs and clients
	 * @throws UnavailableException if it cannot be measured
	 */
	public void open(String contender, Shape shape) {
		List<ChildJvm> workers = workers(contender);
		while (workers.size() < shape.jvms()) {
			workers.add(start(workers.size(), SMALL));
		}
		// One after the other: to start is work, and the first to refuse spares the rest.
		for (ChildJvm worker : workers.subList(0, shape.jvms())) {
			ask(worker, "open " + contender + " " + shape.clients());
		}
	}

	/**
	 * Let a contender lock for a while, in all JVMs of a shape at once.
	 * @param contender which, opened before
	 * @param shape who locks what
	 * @param duration for how long
	 * @return what happened
	 */
	public Slice slice(String contender, Shape shape, Duration duration) {
		this.counter.set(0);
		long start = System.nanoTime() + Duration.ofMillis(30 + 3L * shape.jvms()).toNanos();
		String order = "slice " + new SliceOrder(contender, shape.clients(), shape.threads(), shape.keys(),
				shape.section(), start, start + duration.toNanos())
			.encode();
		List<ChildJvm> working = workers(contender).subList(0, shape.jvms());
		working.forEach((worker) -> worker.tell(order));
		List<String> answers = working.stream().map((worker) -> worker.answer(PATIENCE)).toList();
		Tally tally = Tally.of(answers.stream().map(Crew::understood).map(Tally::decode).toList());
		return new Slice(tally,
				(shape.keys().isOne() && shape.keys() != Keys.SHARED) ? tally.cycles() - this.counter.get() : 0);
	}

	/**
	 * Let threads of one client wait for what another holds.
	 * @param contender which
	 * @param waiters how many wait
	 * @param wait how long
	 * @return how much later than asked each came back, in microseconds
	 */
	public List<Long> expire(String contender, int waiters, Duration wait) {
		return Tally.numbers(ask(workers(contender).get(0), "expire %s %d %s".formatted(contender, waiters, wait)))
			.boxed()
			.toList();
	}

	/**
	 * Start a JVM of its own for one contender, with room for many locks.
	 * @return it, to be closed
	 */
	public Loner loner() {
		ChildJvm worker = start(99, ROOMY);
		return new Loner(worker, (order) -> ask(worker, order));
	}

	private List<ChildJvm> workers(String contender) {
		String group = PreviousVersion.isPrevious(contender) ? "previous"
				: contender.startsWith("distlock") ? "distlock" : "peers";
		return this.workers.computeIfAbsent(group, (key) -> new ArrayList<>());
	}

	private ChildJvm start(int number, List<String> options) {
		return ChildJvm.start(Worker.class,
				ProcessBuilder.Redirect.appendTo(this.folder.resolve("workers.log").toFile()), options, number(number),
				this.store.toString(), counterFile().toString());
	}

	private static String number(int worker) {
		return "%02d".formatted(worker);
	}

	private Path counterFile() {
		return this.folder.resolve("counter.bin");
	}

	private static String ask(ChildJvm worker, String order) {
		worker.tell(order);
		return understood(worker.answer(PATIENCE));
	}

	private static String understood(String answer) {
		if (answer.startsWith("ok ")) {
			return answer.substring(3);
		}
		if (answer.startsWith("unavailable ")) {
			throw new UnavailableException(answer.substring("unavailable ".length()));
		}
		throw new IllegalStateException(answer);
	}

	/** End all workers; the crew can go on with new ones. */
	@Override
	public void close() {
		this.workers.values().forEach((group) -> group.forEach(ChildJvm::close));
		this.workers.clear();
	}

	/**
	 * What happened in all JVMs.
	 *
	 * @param tally what was counted
	 * @param lostUpdates increments that were lost because two were inside
	 */
	public record Slice(Tally tally, long lostUpdates) {

	}

}
