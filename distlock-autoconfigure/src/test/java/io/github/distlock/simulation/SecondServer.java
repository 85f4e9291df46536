package io.github.distlock.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.HeldLock;

/**
 * A second server, which has half of the faults of networks and servers, and the locks
 * that callers take in both servers at once. A server that loses data does not give two
 * callers such a lock, as long as the other one keeps its data.
 */
final class SecondServer {

	final SimulatedNetwork network;

	private final World world;

	/** Whether the servers have lost data. */
	private final boolean[] lost = new boolean[2];

	/** The callers that hold a lock. */
	private final List<Section> inside = new ArrayList<>();

	/** The highest token of each key in the first server. */
	private final Map<String, Long> tokens = new HashMap<>();

	SecondServer(World world) {
		this.world = world;
		this.network = new SimulatedNetwork(world);
	}

	/** Whether a fault concerns this server instead of the first one. */
	boolean takes(Fault fault, SimulatedJvm jvm) {
		int server = fault.number() % 2;
		boolean taken = switch (fault.kind()) {
			case PAUSE, CRASH, REFUSE_TASKS, ERRORS, STEP_WALL_CLOCK, RESTART_REGISTRY, END_GRANT, INTERRUPT, CANCEL ->
				false;
			case EMPTY_SERVER, FAIL_OVER -> {
				this.lost[server] = true;
				yield server == 1;
			}
			default -> server == 1;
		};
		if (taken) {
			this.network.begin(fault, jvm);
		}
		return taken;
	}

	/** A caller has a lock. */
	void entered(Section section) {
		if (isHeld(section)) {
			check(section);
			if (section.servers[0]) {
				checkToken(section);
			}
		}
		this.inside.add(section);
		this.world.trace(section.label, "holds " + section.lock.key() + " token " + section.lock.fencingToken());
	}

	/** A caller is about to close its lock. */
	void leaving(Section section) {
		if (isHeld(section)) {
			check(section);
		}
		this.inside.remove(section);
	}

	/** S2, unless the first server has lost data. */
	private void checkToken(Section section) {
		long token = section.lock.fencingToken();
		Long last = this.tokens.put(section.lock.key(), token);
		if (last != null && token <= last && !this.lost[0]) {
			this.world.violation("S2", section + " entered after the token " + last);
		}
	}

	/** S1, unless each server that both callers need has lost data. */
	private void check(Section section) {
		for (Section other : this.inside) {
			if (other != section && other.lock.key().equals(section.lock.key())
					&& (excludes(0, section, other) || excludes(1, section, other)) && isHeld(other)) {
				this.world.violation("S1", section + " holds its lock while " + other + " does");
			}
		}
	}

	private boolean excludes(int server, Section one, Section other) {
		return !this.lost[server] && one.servers[server] && other.servers[server];
	}

	/**
	 * As in {@link Properties}, the last moments of a grant by message do not count where
	 * clocks run at different speeds.
	 */
	private boolean isHeld(Section section) {
		long counted = this.world.plan.drift() ? Properties.CLOCK_ERROR : 0;
		return !section.jvm.crashed && this.world.scheduler.quietly(section.lock::isHeld)
				&& this.world.scheduler.quietly(section.lock::remaining).toNanos() >= counted;
	}

	/** S7 in this server. */
	void checkAtEnd() {
		List<String> left = this.network.server().keysLeft();
		if (!left.isEmpty()) {
			this.world.violation("S7", "The second server still knows " + left);
		}
	}

	/** What a caller does while it holds a lock. */
	static final class Section {

		final SimulatedJvm jvm;

		final String label;

		final HeldLock lock;

		/** Whether it is held in the first and in the second server. */
		final boolean[] servers;

		/** How often its callback for the loss ran. */
		int losses;

		Section(SimulatedJvm jvm, String label, HeldLock lock, boolean... servers) {
			this.jvm = jvm;
			this.label = label;
			this.lock = lock;
			this.servers = servers;
		}

		@Override
		public String toString() {
			return this.label + " (" + this.lock.key() + " token " + this.lock.fencingToken() + ")";
		}

	}

}
