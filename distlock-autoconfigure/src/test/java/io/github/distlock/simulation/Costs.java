package io.github.distlock.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.HandOff;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * How many commands calls cost, in histories without faults: two if no other call needs
 * the lock, none for a hand-off inside a JVM, and few more for each second of waiting.
 */
record Costs(World world, History history, Map<String, Integer> all, Map<String, Integer> shared) {

	/**
	 * Create it without commands. They are counted by JVM and key: all, and those that
	 * are no renewals of shared tickets.
	 */
	Costs(World world, History history) {
		this(world, history, new HashMap<>(), new HashMap<>());
	}

	void sends(SimulatedJvm jvm, Ticket ticket) {
		renews(jvm, ticket);
		if (!ticket.fair()) {
			this.shared.merge(jvm + " " + ticket.key(), 1, Integer::sum);
		}
	}

	void renews(SimulatedJvm jvm, Ticket ticket) {
		this.all.merge(jvm + " " + ticket.key(), 1, Integer::sum);
	}

	private int all(Call call) {
		return this.all.getOrDefault(call.jvm + " " + call.key(), 0);
	}

	private int shared(Call call) {
		return this.shared.getOrDefault(call.jvm + " " + call.key(), 0);
	}

	void begins(Call call) {
		call.commandsBefore = all(call);
	}

	void leaves(Call call) {
		call.commandsAtEnd = shared(call);
	}

	void granted(Call call, @Nullable Call before) {
		if (call.handOff == HandOff.LOCAL && before != null && before.leaving) {
			this.history.count("checked costs, inside");
			if (shared(call) != before.commandsAtEnd) {
				this.world.violation("cost",
						call + " entered " + call.key() + " by a hand-off inside its JVM, which sent "
								+ (shared(call) - before.commandsAtEnd) + " commands");
			}
		}
	}

	/** A call has closed its lock without an exception. */
	void left(Call call) {
		long quiet = Rules.QUIET + 25 * this.world.plan.latencyNanos();
		List<Call> others = this.history.calls.stream()
			.filter((other) -> other != call && other.key().equals(call.key()))
			.filter((other) -> other.overlaps(call.started - quiet - retained(other)))
			.toList();
		if (call.losses > 0 || call.request.minHold() != null || call.changed
				|| others.stream().anyMatch((other) -> other.jvm == call.jvm)) {
			return;
		}
		int sent = all(call) - call.commandsBefore;
		long lease = lease(call);
		if (others.isEmpty() && call.left - call.started < lease / 8) {
			this.history.count("checked costs, alone");
			if (sent > 2 || (sent < 2 && !this.world.plan.background())) {
				this.world.violation("cost", call + " used " + call.key() + " alone, with " + sent + " commands");
			}
			return;
		}
		// An attempt and a release, the confirmation of a grant by message, and the
		// subscription. While it waits: at intervals, which a reader behind it with a
		// short lease makes shorter, and when a lease ends. While it is held: renewals.
		this.history.count("checked costs, waiting");
		long shortest = others.stream().mapToLong(this::lease).min().orElse(lease);
		long renewals = (call.left - call.started) / (Math.min(lease, shortest) / 6);
		if (this.world.plan.has(Fault.Kind.POISON_KEY) || this.world.plan.has(Fault.Kind.THROW_ANSWERS)) {
			// A renewal that fails because of another key of its batch is sent again.
			renewals *= 2;
		}
		long most = 4 + renewals + 2L * others.size();
		if (sent > most) {
			this.world.violation("cost",
					call + " used " + call.key() + " with " + sent + " commands, more than " + most);
		}
	}

	/** The lease of a grant by message at most. */
	private long lease(Call call) {
		Duration explicit = call.request.leaseTime();
		Duration asked = (explicit != null) ? explicit : this.world.plan.leaseTime();
		return Math.min(asked.toNanos(), Rules.SHORT_LEASE.toNanos());
	}

	private static long retained(Call call) {
		Duration minHold = call.request.minHold();
		return (minHold != null) ? minHold.toNanos() : 0;
	}

}
