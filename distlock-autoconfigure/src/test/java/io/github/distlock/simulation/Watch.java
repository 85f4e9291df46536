package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;

/**
 * Looks at all held locks again and again, in some of the histories only: a question
 * whether a lock is held may find that it has expired, before the engine does. What it
 * sees has to be reported soon: a loss, and a risk.
 */
record Watch(World world, History history, Map<Call, Long> lostSince, Map<Call, Lease> leases) {

	/** How long a loss may remain unreported: a sweep comes each second. */
	private static final long LOSS = Duration.ofMillis(1100).toNanos();

	private static final long SWEEP = Duration.ofSeconds(1).toNanos();

	/**
	 * Begin to note when a lock was first seen to be lost, what was left of each lease
	 * when it was last seen to grow, and when it was half.
	 */
	Watch(World world, History history) {
		this(world, history, new HashMap<>(), new HashMap<>());
	}

	void look() {
		if (this.world.plan.isWatched()) {
			held().forEach(this::look);
		}
	}

	/** The calls that hold their locks, or seem to. */
	private List<Call> held() {
		List<Call> held = new ArrayList<>();
		for (Call call : this.history.calls) {
			if (call.isInside() && !call.leaving && call.lock != null && call.jvm.runs()
					&& !this.history.hasRestarted(call)) {
				held.add(call);
			}
		}
		return held;
	}

	private void look(Call call) {
		HeldLock lock = call.lock;
		long left = (lock != null) ? this.world.scheduler.quietly(lock::remaining).toNanos() : 0;
		long now = this.world.scheduler.nanos();
		if (left == 0) {
			if (this.lostSince.putIfAbsent(call, now) == null) {
				this.history.count("checked losses");
			}
			long since = this.lostSince.getOrDefault(call, now);
			// A timer that was refused is overdue by a second when the sweep finds it.
			long limit = LOSS + Rules.STALLS + (this.world.plan.has(Fault.Kind.REFUSE_TASKS) ? SWEEP : 0);
			if (call.losses == 0 && now - Math.max(since, call.jvm.stalledNanos) > limit) {
				this.lostSince.put(call, Call.NEVER / 2);
				this.world.violation("report",
						call + " has lost " + call.key() + ", and that is not reported after a second");
			}
			return;
		}
		Lease before = this.leases.get(call);
		if (before == null || left > before.left) {
			before = new Lease(left, left, Call.NEVER);
		}
		boolean half = left < before.most * 48 / 100;
		Lease lease = new Lease(before.most, left, half ? Math.min(before.halfSince, now) : Call.NEVER);
		this.leases.put(call, lease);
		long late = now - Math.max(lease.halfSince, call.jvm.stalledNanos);
		boolean due = half && isRenewed(call) && late > longestWithoutRisk(lease);
		if (due) {
			this.history.count("checked risks");
		}
		if (due && call.risks == call.risksEnded) {
			this.leases.put(call, new Lease(before.most, left, Call.NEVER / 2));
			this.world.violation("report", call + " has " + left / 1_000_000 + " ms left of " + before.most / 1_000_000
					+ " for " + call.key() + ", and that is not reported as a risk");
		}
	}

	private static boolean isRenewed(Call call) {
		return !call.limited && call.request.minHold() == null;
	}

	/**
	 * A renewal is sent again after an eighth of what is left, and then fails. It is not
	 * sent at all until a sweep, if its timer was refused.
	 */
	private long longestWithoutRisk(Lease lease) {
		long sweep = this.world.plan.has(Fault.Kind.REFUSE_TASKS) ? 2 * SWEEP : 0;
		return Math.min(LOSS, lease.most / 16 + LOSS / 10) + this.world.plan.commandTimeout().toNanos() + Rules.STALLS
				+ sweep;
	}

	/**
	 * The wall clock of a JVM was set forward, as if the machine had been suspended: the
	 * locks that it holds are lost at once. Not so if it was set back after the grant.
	 */
	void stepped(SimulatedJvm jvm, long millis) {
		if (!this.world.plan.isWatched()) {
			return;
		}
		for (Call call : held()) {
			HeldLock lock = call.lock;
			if (call.jvm == jvm && lock != null && jvm.wentBackNanos < call.asked && millis > margin(call)) {
				this.history.count("checked suspensions");
				if (this.world.scheduler.quietly(lock::isHeld)) {
					this.world.violation("suspended", call + " still holds " + call.key()
							+ " after its clock was set forward by " + millis + " ms");
				}
			}
		}
	}

	/** A hundredth of the longest lease that its ticket may have asked for. */
	private long margin(Call call) {
		Stream<Duration> leases = this.history.calls.stream()
			.filter((other) -> other.jvm == call.jvm && other.key().equals(call.key()))
			.flatMap((other) -> Stream.of(other.request.leaseTime(), other.request.minHold()));
		long longest = Stream.concat(leases, Stream.of(this.world.plan.leaseTime()))
			.mapToLong((lease) -> (lease != null) ? lease.toMillis() : 0)
			.max()
			.orElse(0);
		return Math.max(5, longest / 50) + 2;
	}

	/**
	 * What was seen of a lease.
	 *
	 * @param most what was left when it was seen to have grown last
	 * @param halfSince since when less than half of it is left
	 */
	private record Lease(long most, long left, long halfSince) {
	}

}
