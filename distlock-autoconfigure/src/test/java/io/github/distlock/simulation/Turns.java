package io.github.distlock.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.simulation.Call.End;

/**
 * S8: in a history without faults the other JVMs enter at most (M - 1)(budget + 1) times
 * before a waiting JVM enters. Fair callers and readers have a place of their own in the
 * queue.
 */
record Turns(World world) {

	/** How often the usual latency three slow packets take. */
	private static final int SLOW_PACKETS = 45;

	/** How long the threads may be preempted that queue a caller. */
	private static final long PREEMPTED = Duration.ofMillis(50).toNanos();

	private static String place(Call call) {
		return call.hasOwnPlace() ? call.label : call.jvm.name;
	}

	/** Check the entries of a key, in their order, with all calls of the key. */
	void check(List<Call> entries, List<Call> calls) {
		Map<String, Call> last = new HashMap<>();
		for (int i = 0; i < entries.size(); i++) {
			Call entry = entries.get(i);
			Call before = last.put(place(entry), entry);
			if (entry.waiting == Call.NEVER || !entry.valid) {
				continue;
			}
			// A JVM is queued again from its last release on. If no caller waited then, a
			// cancel and an attempt follow, perhaps in slow packets.
			long since = (before != null) ? Math.max(before.left, entry.waiting) : entry.waiting;
			long from = since + SLOW_PACKETS * this.world.plan.latencyNanos()
					+ ((this.world.plan.stalls() > 0) ? PREEMPTED : 0);
			// If the lease of a fair holder expires, or a grant on its way to it, the
			// server
			// forgets the place of its JVM.
			long slow = SLOW_PACKETS * this.world.plan.latencyNanos();
			if (calls.stream().anyMatch((call) -> call.jvm == entry.jvm && Rules.losesPlaces(call, slow))) {
				continue;
			}
			if (entries.subList(0, i)
				.stream()
				.anyMatch((other) -> other.request.fair() && other.losses > 0 && other.left > since)) {
				continue;
			}
			List<Call> others = entries.subList(0, i).stream().filter((other) -> other.granted > from).toList();
			long places = others.stream().map(Turns::place).distinct().count();
			// A grant to a call that is cancelled just then is not passed on.
			long cancelled = calls.stream()
				.filter((call) -> call.jvm == entry.jvm && call.end == End.CANCELLED && call.answered >= since
						&& call.answered <= entry.granted)
				.count();
			// An entry that was granted before the wait began may be noted after it.
			long most = places * (this.world.plan.handOffBudget() + 1) * (cancelled + 1) + 1;
			if (others.size() > most) {
				this.world.violation("S8", others.size() + " entries of " + places + " others overtook " + entry
						+ " of " + entry.key() + ", more than " + most);
			}
		}
	}

}
