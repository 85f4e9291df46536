package io.github.distlock.benchmarks.report;

import java.util.Locale;

/**
 * What a measurement may tell.
 */
public enum Metric {

	/** Cycles per second. */
	THROUGHPUT("cycles/s", 0),

	/** Median time from asking for the lock until the section. */
	ACQUIRE_P50("p50 µs", 0),

	/** Of which one in a hundred is longer. */
	ACQUIRE_P99("p99 µs", 0),

	/** Of which one in a thousand is longer. */
	ACQUIRE_P999("p99.9 µs", 0),

	/** The longest wait. */
	ACQUIRE_MAX("longest µs", 0),

	/** Jain's index of the cycles per thread: 1 is even, 1/n is all to one. */
	JAIN("Jain", 3),

	/** Cycles of the thread that had most. */
	MOST("most", 0),

	/** Cycles of the thread that had least. */
	LEAST("least", 0),

	/** Share of the cycles that overtook one that had waited at least 1 ms longer. */
	OVERTAKING("overtaking %", 1),

	/** Commands that clients sent per cycle. */
	CLIENT_COMMANDS("commands", 2),

	/** Commands that scripts ran per cycle. */
	SCRIPT_COMMANDS("in scripts", 2),

	/** Messages published per cycle. */
	MESSAGES("messages", 2),

	/**
	 * Statements that the database executed per cycle, those that end transactions too.
	 */
	STATEMENTS("statements", 2),

	/** Transactions that wrote something, per cycle. */
	WRITES("writing transactions", 2),

	/** Bytes of the write-ahead log per cycle. */
	LOG_BYTES("log bytes", 0),

	/** Requests that ZooKeeper received per cycle. */
	REQUESTS("requests", 2),

	/** Answers and events that ZooKeeper sent per cycle. */
	ANSWERS("answers, events", 2),

	/** Bytes on the network per cycle, both ways. */
	BYTES("bytes", 0),

	/** Processor time of the server per cycle. */
	SERVER_CPU("server CPU µs", 1),

	/** Processor time of the clients per cycle. */
	CLIENT_CPU("client CPU µs", 1),

	/** Increments under the lock that were lost. */
	LOST_UPDATES("lost updates", 0),

	/** Commands that the server gets in a second. */
	COMMANDS_PER_SECOND("commands/s", 1),

	/** Share of a processor that the server needs. */
	REDIS_LOAD("Redis CPU %", 2),

	/** Threads that the client added. */
	THREADS("threads added", 0),

	/** Bytes of client heap per lock that is held. */
	HEAP_PER_LOCK("heap bytes per lock", 0),

	/** Locks that were still held at the end. */
	STILL_HELD("still held", 0),

	/** Bytes of client heap that stay per key that was used once. */
	HEAP_PER_KEY("heap bytes per key", 1),

	/** Keys in the server right after all locks were released. */
	KEYS_LEFT("keys left", 0),

	/** Keys in the server some seconds later. */
	KEYS_LEFT_LATER("keys left later", 0),

	/** How much sooner than asked the earliest came back. */
	EARLIEST("earliest µs", 0),

	/** Median of how much later than asked they came back. */
	LATE_P50("late p50 µs", 0),

	/** How much later than asked one in a hundred came back. */
	LATE_P99("late p99 µs", 0),

	/** How much later than asked the last came back. */
	LATE_MAX("late max µs", 0),

	/** Time per call. */
	NANOS("ns/call", 1),

	/** Bytes that a call allocates. */
	ALLOCATED("bytes/call", 1),

	/** The first cycle of a JVM. */
	FIRST_CYCLE("first cycle µs", 0),

	/** A cycle from the second to the 100th. */
	CYCLES_100("to 100: µs", 0),

	/** A cycle from the 101st to the 1,000th. */
	CYCLES_1000("to 1,000: µs", 0),

	/** A cycle from the 1,001st to the 10,000th. */
	CYCLES_10000("to 10,000: µs", 0),

	/** A cycle from the 10,001st to the 30,000th. */
	CYCLES_30000("to 30,000: µs", 0);

	private final String title;

	private final int decimals;

	Metric(String title, int decimals) {
		this.title = title;
		this.decimals = decimals;
	}

	/**
	 * Return its head in tables.
	 * @return name and unit
	 */
	public String title() {
		return this.title;
	}

	String format(double value) {
		return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%,." + this.decimals + "f", value);
	}

}
