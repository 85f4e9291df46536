package io.github.distlock.lab.page;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.lab.page.RecordedSale.State;
import io.github.distlock.lab.records.NodeRecord;
import org.jspecify.annotations.Nullable;

/**
 * The sales and faults of a run, worked out from the records of the nodes. Records
 * outside of a trial and those of other articles are left out. For use by one thread at a
 * time.
 */
final class RecordedSales {

	private final String sku;

	private final Map<Key, RecordedSale> sales = new LinkedHashMap<>();

	private final Map<Key, RecordedSale> changed = new LinkedHashMap<>();

	private final List<LabEvent.Fault> faults = new ArrayList<>();

	private final List<LabEvent.Queue> queues = new ArrayList<>();

	private final Map<String, LabEvent.Fault> openFaults = new HashMap<>();

	private int trial = -1;

	private String strategy = "";

	RecordedSales(String sku) {
		this.sku = sku;
	}

	/**
	 * Begin a trial, and forget the sales of the one before.
	 * @param number number of the trial
	 * @param name the strategy
	 */
	void begin(int number, String name) {
		this.trial = number;
		this.strategy = name;
		this.sales.clear();
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
			put(key, new RecordedSale(node, key.number(), next.order(), resource, orElse(next.arrived(), next.at()),
					next.at(), orElse(next.value(), 0L), next.token(), next.lease(), List.of(), null, null, null,
					State.OPEN));
		}
	}

	private void ended(String node, NodeRecord next) {
		Key key = key(node, next);
		RecordedSale sale = this.sales.get(key);
		if (sale != null) {
			put(key, next.type().equals("wrote") ? sale.wrote(next.at(), next.value(), next.serial())
					: sale.refused(next.at()));
		}
	}

	private void renewed(String node, NodeRecord next) {
		Key key = key(node, next);
		RecordedSale sale = this.sales.get(key);
		if (sale != null && sale.state() == State.OPEN) {
			put(key, sale.renewed(next.at(), orElse(next.lease(), next.at())));
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
		this.sales.forEach((key, sale) -> {
			if (key.node().equals(node) && sale.state() == State.OPEN) {
				RecordedSale crashed = sale.crashed(Math.max(at, sale.read()));
				this.changed.put(key, crashed);
			}
		});
		this.sales.putAll(this.changed);
	}

	private void put(Key key, RecordedSale sale) {
		this.sales.put(key, sale);
		this.changed.put(key, sale);
	}

	/**
	 * Return the sales that have changed since the last call.
	 */
	Collection<RecordedSale> changes() {
		List<RecordedSale> changes = List.copyOf(this.changed.values());
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
	 * Return all sales of the trial.
	 */
	Collection<RecordedSale> all() {
		return List.copyOf(this.sales.values());
	}

	private static Key key(String node, NodeRecord next) {
		return new Key(node, orElse(next.sale(), 0L));
	}

	private static long orElse(@Nullable Long value, long other) {
		return (value != null) ? value : other;
	}

	private static int orElse(@Nullable Integer value, int other) {
		return (value != null) ? value : other;
	}

	/**
	 * A sale.
	 */
	private record Key(String node, long number) {
	}

}
