package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.simulation.Call.End;
import io.github.distlock.torture.check.FaultTimes;

/**
 * L1: while a lock is free and a live caller waits for it, some caller enters within the
 * bound. A lock is also free for callers with permits while fewer hold it than the
 * permits of each that waits, and no other kind of caller holds it or waits. Times with
 * faults that suspend this do not count, and a lock is not free while the lease of a dead
 * JVM may last.
 */
final class Progress {

	/** The threads that a release and a message wake. */
	private static final long HAND_OFF = Duration.ofMillis(150).toNanos();

	/** A release, a message and what else may be sent, in slow packets. */
	private static final int HAND_OFF_PACKETS = 60;

	/** The retry of a waiting JVM, and what follows it. */
	private static final long BOUND = Duration.ofSeconds(4).toNanos();

	/** After a fault a ticket without a caller may hold the lock for seconds. */
	private static final long BOUND_AFTER_FAULTS = Duration.ofSeconds(9).toNanos();

	private static final long RECOVERY = Duration.ofSeconds(3).toNanos();

	private final World world;

	private final History history;

	private final FaultTimes disturbed = new FaultTimes();

	/** Whether there was no fault that changes who enters when. */
	private final boolean calm;

	private final long bound;

	Progress(World world, History history, List<Fault> faults, boolean calm) {
		this.world = world;
		this.calm = calm;
		this.history = history;
		Stream<long[]> begun = faults.stream()
			.filter((fault) -> FaultEffects.suspends(fault.kind()).contains(FaultEffects.Property.PROGRESS))
			.map((fault) -> new long[] { fault.atNanos(), fault.atNanos() + fault.nanos() + RECOVERY });
		// What was lost is repeated: a command after its timeout, a message by a retry.
		long repeated = world.plan.commandTimeout().toNanos() + RECOVERY;
		Stream<long[]> lost = world.network.losses.stream().map((nanos) -> new long[] { nanos, nanos + repeated });
		Stream.concat(begun, lost)
			.sorted(Comparator.comparingLong((span) -> span[0]))
			.forEach((span) -> this.disturbed.add(span[0], span[1]));
		long longest = Math.max(world.plan.leaseTime().toNanos(), Caller.LASTING.toNanos());
		// A fault may strike long after it has begun: when there is a command. And where
		// messages are late, several callers may get the lock, one after the other, and
		// leave before they know it.
		boolean undisturbed = this.disturbed.isEmpty() && !world.plan.has(Fault.Kind.DELAY_MESSAGES);
		this.bound = undisturbed ? BOUND : BOUND_AFTER_FAULTS + (mayLastALease() ? longest : 0);
	}

	/**
	 * A copy of a command that was answered may take the lock for a whole lease, and a
	 * server that has lost a release keeps the lock as long. A release that is lost while
	 * a registry is shut down is not repeated.
	 */
	private boolean mayLastALease() {
		Plan plan = this.world.plan;
		boolean lost = plan.faults().stream().anyMatch((fault) -> !FaultEffects.LEAVE_COMMANDS.contains(fault.kind()));
		return plan.has(Fault.Kind.REPEAT_REQUESTS) || plan.has(Fault.Kind.FAIL_OVER)
				|| (plan.has(Fault.Kind.RESTART_REGISTRY) && lost);
	}

	void check(String key) {
		List<Edge> edges = new ArrayList<>();
		this.history.calls.stream().filter((call) -> call.key().equals(key)).forEach((call) -> addEdges(call, edges));
		edges.sort(Comparator.comparingLong(Edge::nanos).thenComparing((edge) -> -edge.inside - edge.waiting));
		List<Call> inside = new ArrayList<>();
		List<Call> waiting = new ArrayList<>();
		long since = 0;
		long lost = -BOUND;
		long packets = HAND_OFF_PACKETS * this.world.plan.latencyNanos();
		for (Edge edge : edges) {
			boolean stuck = isStuck(inside, waiting);
			change(inside, edge.inside, edge.call);
			change(waiting, edge.waiting, edge.call);
			boolean moved = edge.inside > 0 || !isStuck(inside, waiting);
			// The store sends no message when a lease expires.
			long most = (this.calm && lost + BOUND < since) ? HAND_OFF + packets : this.bound;
			long idle = (stuck && moved) ? this.disturbed.faultFreeNanos(since, edge.nanos) : 0;
			if (stuck && edge.inside > 0 && edge.nanos > since) {
				count(idle);
			}
			if (idle > most) {
				this.world.violation("L1", key + " was free for " + (edge.nanos - since) / 1_000_000
						+ " ms while others waited; then came or left " + edge.call);
			}
			if (edge.inside < 0 && (edge.call.losses > 0 || edge.call.mayEndBeforeItsRelease(packets))) {
				lost = edge.nanos;
			}
			if ((!stuck || moved) && isStuck(inside, waiting)) {
				since = edge.nanos;
			}
		}
	}

	/** A caller has entered after the lock was free, and others or itself waited. */
	private void count(long idle) {
		long millis = 1;
		while (millis < idle / 1_000_000.0) {
			millis *= 2;
		}
		this.world.history
			.count(String.format("free %s for %5d ms at most", this.calm ? "without faults" : "with faults", millis));
	}

	private static void change(List<Call> calls, int change, Call call) {
		if (change > 0) {
			calls.add(call);
		}
		else if (change < 0) {
			calls.remove(call);
		}
	}

	private boolean isStuck(List<Call> inside, List<Call> waiting) {
		return !waiting.isEmpty() && (inside.isEmpty() || (this.world.plan.permits() > 0
				&& Stream.concat(inside.stream(), waiting.stream()).allMatch(Call::reads)
				&& waiting.stream().allMatch((call) -> inside.size() < call.permits())));
	}

	private void addEdges(Call call, List<Edge> edges) {
		long crash = this.history.crashedAt(call);
		Duration minHold = call.request.minHold();
		long hold = (minHold != null) ? minHold.toNanos() : 0;
		Duration explicit = call.request.leaseTime();
		Duration lease = (explicit != null) ? explicit : this.world.plan.leaseTime();
		long afterCrash = crash + ((crash != Call.NEVER)
				? lease.plus(this.world.plan.handOffMaxTime()).toNanos() + hold + RECOVERY : 0);
		if (call.granted != Call.NEVER) {
			long left = (call.left != Call.NEVER || call.end == End.ENTERED) ? call.left : call.answered;
			// What is left of a release that was not answered goes with its JVM.
			boolean released = left != Call.NEVER
					&& (crash == Call.NEVER || this.disturbed.faultFreeNanos(left, crash) > RECOVERY);
			long until = released ? Math.max(left, call.granted + hold) : afterCrash;
			if (this.history.hasRestarted(call) && until != Call.NEVER) {
				// What is held when the registry is closed ends with its lease.
				until = Math.max(until, this.history.restartedAt(call) + lease.toNanos() + hold + RECOVERY);
			}
			edges.add(new Edge(call.granted, 1, 0, call));
			if (until != Call.NEVER) {
				edges.add(new Edge(until, -1, 0, call));
			}
		}
		else if (crash != Call.NEVER && (call.answered == Call.NEVER || crash - call.answered < RECOVERY)) {
			// The store may have granted it before.
			edges.add(new Edge(crash, 1, 0, call));
			edges.add(new Edge(afterCrash, -1, 0, call));
		}
		long end = Math.min(Math.min(call.granted, call.answered), Math.min(crash, call.waitingEnded));
		if (call.waiting < end) {
			edges.add(new Edge(call.waiting, 0, 1, call));
			edges.add(new Edge(Math.min(end, this.world.scheduler.nanos()), 0, -1, call));
		}
	}

	private record Edge(long nanos, int inside, int waiting, Call call) {
	}

}
