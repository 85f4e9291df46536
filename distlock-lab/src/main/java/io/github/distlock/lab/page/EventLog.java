package io.github.distlock.lab.page;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.stereotype.Component;

/**
 * The events of the current or last run, as JSON, numbered from 1. Safe for use by many
 * threads. A reader has a position and nothing else, so a slow reader delays no writer
 * and needs no memory.
 */
@Component
final class EventLog {

	private static final int BATCH = 500;

	private final JsonMapper json = JsonMapper.builder().build();

	private final Lock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private String run = "";

	private List<String> events = new ArrayList<>();

	/**
	 * Begin a run, and forget the one before.
	 * @param id name of the run
	 */
	void begin(String id) {
		this.lock.lock();
		try {
			this.run = id;
			this.events = new ArrayList<>();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Add an event, which gets the next number.
	 * @param event the event
	 */
	void append(LabEvent event) {
		this.lock.lock();
		try {
			ObjectNode numbered = this.json.createObjectNode();
			numbered.put("n", this.events.size() + 1);
			numbered.put("type", event.typeName());
			numbered.setAll((ObjectNode) this.json.valueToTree(event));
			this.events.add(this.json.writeValueAsString(numbered));
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wait for events after a position.
	 * @param position a position, or {@code null} for the beginning
	 * @param millis how long to wait at most
	 * @return the next events, at most a few hundred, and none after the wait
	 * @throws InterruptedException if interrupted while waiting
	 */
	Batch await(@Nullable Position position, long millis) throws InterruptedException {
		long left = TimeUnit.MILLISECONDS.toNanos(millis);
		this.lock.lockInterruptibly();
		try {
			int from = index(position);
			while (from >= this.events.size() && left > 0) {
				left = this.changed.awaitNanos(left);
				from = index(position);
			}
			int to = Math.min(this.events.size(), from + BATCH);
			return new Batch(this.run, from, (from < to) ? List.copyOf(this.events.subList(from, to)) : List.of());
		}
		finally {
			this.lock.unlock();
		}
	}

	private int index(@Nullable Position position) {
		return (position != null && position.run().equals(this.run)) ? Math.min(position.n(), this.events.size()) : 0;
	}

	/**
	 * Return the run.
	 * @return the name of the current or last run, empty if there was none
	 */
	String run() {
		this.lock.lock();
		try {
			return this.run;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Copy all events so far.
	 * @return the name of the run and its events
	 */
	Batch all() {
		this.lock.lock();
		try {
			return new Batch(this.run, 0, List.copyOf(this.events));
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A place in the events of a run.
	 *
	 * @param run name of the run
	 * @param n number of the last event that was read
	 */
	record Position(String run, int n) {

		/**
		 * Read the id of a server-sent event.
		 * @param id the id, or {@code null}
		 * @return the position after that event, or {@code null} if it is none
		 */
		static @Nullable Position parse(@Nullable String id) {
			int colon = (id != null) ? id.lastIndexOf(':') : -1;
			if (id == null || colon < 1 || !id.substring(colon + 1).matches("\\d{1,9}")) {
				return null;
			}
			return new Position(id.substring(0, colon), Integer.parseInt(id.substring(colon + 1)));
		}

		@Override
		public String toString() {
			return this.run + ":" + this.n;
		}

	}

	/**
	 * Some events in a row.
	 *
	 * @param run name of the run
	 * @param before how many events there are before these
	 * @param events the events
	 */
	record Batch(String run, int before, List<String> events) {

		Position position(int index) {
			return new Position(this.run, this.before + index + 1);
		}

	}

}
