package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a seed decides before the history begins: the size of the world, the settings of
 * the registries, and the faults.
 *
 * @param keys how many keys the callers share
 * @param leaseTime the lease of the watchdog
 * @param handOffBudget how many hand-offs inside a JVM follow each other
 * @param handOffMaxTime for how long
 * @param maxWaiting how many callers of a JVM may wait for a key
 * @param background whether releases are not awaited
 * @param backendTimeout how long the store may be silent
 * @param latencyNanos the usual time of a packet one way
 * @param counting whether the server knows how many JVMs receive a message
 * @param passes how often the baton passes where it may
 * @param stalls how often a thread is preempted for a while there
 * @param drift whether the monotonic clocks run at different speeds
 */
record Plan(long seed, int jvms, int keys, int callers, int calls, Duration leaseTime, int handOffBudget,
		Duration handOffMaxTime, int maxWaiting, boolean background, Duration backendTimeout, Duration commandTimeout,
		long latencyNanos, boolean counting, double passes, double stalls, boolean drift, List<Fault> faults) {

	private static final long LONGEST_POISON = Duration.ofSeconds(10).toNanos();

	/**
	 * The plan of a seed. Each seed has a few kinds of faults, often, instead of all of
	 * them, seldom: many slips show only if the same happens again, or undisturbed by
	 * anything else. For the same reason some networks are slow, and some leases long.
	 */
	static Plan of(long seed) {
		Random random = new Random(seed * 0x9E3779B97F4A7C15L);
		int jvms = 2 + random.nextInt(3);
		int callers = 2 + random.nextInt(4);
		int calls = Math.max(4, 200 / (jvms * callers));
		long latency = switch (random.nextInt(4)) {
			case 0 -> 1_000_000 + random.nextInt(9_000_000);
			case 1 -> 10_000_000 + random.nextInt(20_000_000);
			default -> 50_000 + random.nextInt(500_000);
		};
		Duration lease = Duration.ofMillis(choose(random, 1000, 2000, 5000, 30_000)).plusNanos(60 * latency);
		Duration commandTimeout = Duration.ofMillis(200 + random.nextInt(300)).plusNanos(32 * latency);
		// In a quarter of the histories few callers may wait.
		Random more = new Random(seed * 31 + 29);
		int maxWaiting = (more.nextInt(4) == 0) ? 1 + more.nextInt(3) : Integer.MAX_VALUE;
		return new Plan(seed, jvms, 1 + random.nextInt(3), callers, calls, lease, 1 + random.nextInt(8),
				Duration.ofMillis(5 + random.nextInt(50)), maxWaiting, random.nextInt(3) == 0,
				Duration.ofSeconds(3 + random.nextInt(5)).plus(commandTimeout), commandTimeout, latency,
				random.nextInt(4) != 0, new double[] { 0.02, 0.1, 0.4 }[random.nextInt(3)],
				new double[] { 0, 0.002, 0.01, 0.05 }[random.nextInt(4)], random.nextBoolean(), faults(random, jvms))
			.withPoison();
	}

	/** In an eighth of the histories attempts and renewals fail for one key at a time. */
	private Plan withPoison() {
		Random random = new Random(this.seed * 43 + 47);
		if (random.nextInt(8) != 0) {
			return this;
		}
		List<Fault> all = new ArrayList<>(this.faults);
		long at = 0;
		for (int i = 0; i < 4; i++) {
			at += random.nextInt(1500) * 1_000_000L;
			long nanos = Math.min(2 * this.leaseTime.toNanos(), LONGEST_POISON) + random.nextInt(1_000_000_000);
			all.add(new Fault(this.faults.size() + i, at,
					random.nextBoolean() ? Fault.Kind.POISON_KEY : Fault.Kind.THROW_ANSWERS, 0, nanos,
					random.nextInt(this.keys)));
		}
		return with(all);
	}

	/**
	 * Whether a watch looks at all held locks all the time, in a quarter of the seeds.
	 */
	boolean isWatched() {
		return this.seed / 4 % 4 == 1;
	}

	/** Whether the registries interrupt the owners of lost locks. */
	boolean interruptsOwners() {
		return this.seed % 4 == 0;
	}

	boolean isLimited() {
		return this.maxWaiting < Integer.MAX_VALUE;
	}

	/**
	 * How many callers may hold a shared key at once, in a third of the histories; zero
	 * in the others. Each key is shared then.
	 */
	int permits() {
		Random random = new Random(this.seed * 37 + 41);
		return (random.nextInt(3) == 0) ? 1 + random.nextInt(4) : 0;
	}

	private static int choose(Random random, int... values) {
		return values[random.nextInt(values.length)];
	}

	/** A quarter of the histories has no faults, so that everything else must hold. */
	private static List<Fault> faults(Random random, int jvms) {
		List<Fault.Kind> all = Stream.of(Fault.Kind.values())
			.filter((kind) -> kind != Fault.Kind.POISON_KEY && kind != Fault.Kind.THROW_ANSWERS)
			.toList();
		Fault.Kind[] kinds = new Fault.Kind[1 + random.nextInt(4)];
		for (int i = 0; i < kinds.length; i++) {
			kinds[i] = all.get(random.nextInt(all.size()));
		}
		List<Fault> faults = new ArrayList<>();
		int count = choose(random, 0, 4, 10, 24);
		int distance = choose(random, 50, 400, 1500);
		long at = 0;
		for (int i = 0; i < count; i++) {
			at += random.nextInt(distance) * 1_000_000L + random.nextInt(1_000_000);
			long nanos = 1_000_000L * (1 + random.nextInt(choose(random, 30, 300, 4000)));
			faults.add(new Fault(i, at, kinds[random.nextInt(kinds.length)], random.nextInt(jvms), nanos,
					1 + random.nextInt(choose(random, 1, 3, 8))));
		}
		return faults;
	}

	Plan without(Set<Integer> numbers) {
		return with(this.faults.stream().filter((fault) -> !numbers.contains(fault.number())).toList());
	}

	private Plan with(List<Fault> others) {
		return new Plan(this.seed, this.jvms, this.keys, this.callers, this.calls, this.leaseTime, this.handOffBudget,
				this.handOffMaxTime, this.maxWaiting, this.background, this.backendTimeout, this.commandTimeout,
				this.latencyNanos, this.counting, this.passes, this.stalls, this.drift, others);
	}

	boolean has(Fault.Kind kind) {
		return this.faults.stream().anyMatch((fault) -> fault.kind() == kind);
	}

}
