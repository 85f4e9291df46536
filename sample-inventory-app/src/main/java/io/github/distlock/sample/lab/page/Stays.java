package io.github.distlock.sample.lab.page;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.sample.lab.page.Stay.State;
import org.jspecify.annotations.Nullable;

/**
 * The stays and faults of a run, worked out from the records of the nodes. Records
 * outside of a trial and those of other articles are left out. For use by one thread at a
 * time.
 */
final class Stays {

	private final String sku;

	private final Map<Key, Stay> stays = new LinkedHashMap<>();

	private final Map<Key, Stay> changed = new LinkedHashMap<>();

	private final List<LabEvent.Fault> faults = new ArrayList<>();

	private final List<LabEvent.Queue> queues = new ArrayList<>();

	private final Map<String, LabEvent.Fault> openFaults = new HashMap<>();

	private int trial = -1;

	private String strategy = "";

	Stays(String sku) {
		this.sku = sku;
	}

	/**
	 * Begin a trial, and forget the stays of the one before.
	 * @param number number of the trial
	 * @param name the strategy
	 */
	void begin(int number, String name) {
		this.trial = number;
		this.strategy = name;
		this.stays.clear();
		this.changed.clear();
		this.faults.clear();
		this.queues.clear();
		this.openFaults.clear();
	}

	/**
	 * End the trial: later records are left out.
	 */
	void end() {
		this.trial = -1;
	}

	/**
	 * Take a record into account.
	 * @param node the node which wrote it
	 * @param next the record
	 */
	void add(String node, NodeRecord next) {
		switch (next.type()) {
			case "start" -> started(node, next);
			case "read" -> read(node, next);
			case "wrote", "refused" -> ended(node, next);
			case "renewed" -> renewed(node, next);
			case "queue" -> queue(node, next.at(), orElse(next.waiting(), 0));
			case "fault" -> fault(node, next);
			case "fault-end" -> faultEnded(node, next.fault(), next.at());
			default -> {
				// A type of a newer node.
			}
		}
	}

	private void started(String node, NodeRecord next) {
		crash(node, next.at());
		queue(node, next.at(), 0);
		faultEnded(node, "crash", next.at());
	}

	private void read(String node, NodeRecord next) {
		Key key = key(node, next);
		String resource = next.resource();
		if (this.trial >= 0 && this.sku.equals(next.sku()) && this.strategy.equals(next.strategy())
				&& resource != null) {
			put(key, new Stay(node, key.stay(), next.order(), resource, orElse(next.arrived(), next.at()), next.at(),
					orElse(next.value(), 0L), next.token(), next.lease(), List.of(), null, null, null, State.OPEN));
		}
	}

	private void ended(String node, NodeRecord next) {
		Key key = key(node, next);
		Stay stay = this.stays.get(key);
		if (stay != null) {
			put(key, next.type().equals("wrote") ? stay.wrote(next.at(), next.value(), next.serial())
					: stay.refused(next.at()));
		}
	}

	private void renewed(String node, NodeRecord next) {
		Key key = key(node, next);
		Stay stay = this.stays.get(key);
		if (stay != null && stay.state() == State.OPEN) {
			put(key, stay.renewed(next.at(), orElse(next.lease(), next.at())));
		}
	}

	private void queue(String node, long at, int waiting) {
		if (this.trial >= 0) {
			this.queues.add(new LabEvent.Queue(node, at, waiting));
		}
	}

	private void fault(String node, NodeRecord next) {
		String name = next.fault();
		if (this.trial < 0 || name == null) {
			return;
		}
		LabEvent.Fault fault = new LabEvent.Fault(this.trial, node, name, next.at(), next.until());
		this.faults.add(fault);
		if (next.until() == null) {
			this.openFaults.put(node + " " + name, fault);
		}
		if (name.equals("crash")) {
			crash(node, next.at());
		}
	}

	private void faultEnded(String node, @Nullable String name, long at) {
		LabEvent.Fault fault = this.openFaults.remove(node + " " + name);
		if (fault != null) {
			this.faults.add(new LabEvent.Fault(fault.trial(), node, fault.fault(), fault.from(), at));
		}
	}

	private void crash(String node, long at) {
		this.stays.forEach((key, stay) -> {
			if (key.node().equals(node) && stay.state() == State.OPEN) {
				Stay crashed = stay.crashed(Math.max(at, stay.read()));
				this.changed.put(key, crashed);
			}
		});
		this.stays.putAll(this.changed);
	}

	private void put(Key key, Stay stay) {
		this.stays.put(key, stay);
		this.changed.put(key, stay);
	}

	/**
	 * Return the stays that have changed since the last call.
	 */
	Collection<Stay> changes() {
		List<Stay> changes = List.copyOf(this.changed.values());
		this.changed.clear();
		return changes;
	}

	/**
	 * Return the faults that struck or ended since the last call.
	 */
	List<LabEvent.Fault> faults() {
		List<LabEvent.Fault> news = List.copyOf(this.faults);
		this.faults.clear();
		return news;
	}

	/**
	 * Return how the queues changed since the last call.
	 */
	List<LabEvent.Queue> queues() {
		List<LabEvent.Queue> news = List.copyOf(this.queues);
		this.queues.clear();
		return news;
	}

	/**
	 * Return all stays of the trial.
	 */
	Collection<Stay> all() {
		return List.copyOf(this.stays.values());
	}

	private static Key key(String node, NodeRecord next) {
		return new Key(node, orElse(next.stay(), 0L));
	}

	private static long orElse(@Nullable Long value, long other) {
		return (value != null) ? value : other;
	}

	private static int orElse(@Nullable Integer value, int other) {
		return (value != null) ? value : other;
	}

	/**
	 * A stay.
	 */
	private record Key(String node, long stay) {
	}

}
