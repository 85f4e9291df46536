package io.github.distlock.sample.launcher;

import java.util.List;
import java.util.stream.Stream;

import static io.github.distlock.sample.launcher.Fault.CLOCK;
import static io.github.distlock.sample.launcher.Fault.CRASH;
import static io.github.distlock.sample.launcher.Fault.SLOW;
import static io.github.distlock.sample.launcher.Verdict.BLOCKS;
import static io.github.distlock.sample.launcher.Verdict.HOLDS;
import static io.github.distlock.sample.launcher.Verdict.OVERSELLS;

/**
 * The strategies by the names that the services know, in the order in which they are
 * played: no lock, the hand-made ones, the database's own, and distlock in its stores. A
 * new one is one entry here and one {@code StockService} in the inventory node.
 */
public final class Strategies {

	static final String LOCKED = "distributed-lock";

	private static final String LATE = "its lease passed, another one entered, and its late write covered theirs";

	/** All that can be played. */
	public static final List<Strategy> ALL = List.of(
			Strategy.of("none", OVERSELLS, "two buyers read the same stock, and one write is lost"),
			Strategy.of("synchronized", OVERSELLS, "it is right inside one JVM, and there are two"),

			Strategy.of("mkdir", HOLDS, "a file system makes a folder once; both nodes must see the same one")
				.under(CRASH, BLOCKS, "nobody removes the folder of the dead"),
			Strategy.of("setnx", HOLDS, "Redis writes the key once; it goes only when its holder deletes it")
				.under(CRASH, BLOCKS, "nobody deletes the key of the dead, and it does not expire"),
			Strategy.of("setnx-expire", HOLDS, "the key expires, if its holder came as far as EXPIRE")
				.under(CRASH, BLOCKS, "the crash came between SETNX and EXPIRE, and the key stays for ever")
				.under(SLOW, OVERSELLS, LATE),
			Strategy.of("setnx-getset", HOLDS, "the value says when the lock ends, and GETSET has one winner")
				.under(SLOW, OVERSELLS, LATE)
				.under(CLOCK, OVERSELLS, "for a clock that is ahead every lock has expired"),
			Strategy.of("set-ex-fixed", HOLDS, "value and expiry are one command, by the server's clock")
				.under(SLOW, OVERSELLS, "the late holder wrote over others' sales, and then freed another one's lock"),
			Strategy.of("set-px-unique", HOLDS, "only its holder frees it, and it ends by the server's clock")
				.under(SLOW, OVERSELLS, LATE + "; nobody renews the lease"),

			Strategy.of("optimistic", HOLDS, "a stale version writes nothing; who loses works again"),
			Strategy.of("for-update", HOLDS, "the database keeps the row until the transaction ends, or its client"),
			Strategy.of("segments", HOLDS, "ten parts with ten locks (distlock), for ten buyers at a time"),

			Strategy.of(LOCKED, HOLDS, "@DistributedLock in the default store, which is Redis"),
			Strategy.of("redis", HOLDS, "the same, asked for by name; one script to lock and one to unlock"),
			Strategy.of("redis-fair", HOLDS, "the same, and strictly in the order of arrival over all JVMs"),
			Strategy.of("redlock", HOLDS, "a majority of five Redis masters, two of which may die").in(Store.REDLOCK),
			Strategy.of("jdbc-lease", HOLDS, "a row with a lease, by the database's clock").in(Store.JDBC_LEASE),
			Strategy.of("jdbc-row", HOLDS, "a row locked by an open transaction, which ends with its client")
				.in(Store.JDBC_ROW),
			Strategy.of("zookeeper", HOLDS, "the first node of a line; it goes with its session").in(Store.ZOOKEEPER),
			Strategy.of("local", OVERSELLS, "it is in the memory of one JVM, and there are two").in(Store.LOCAL));

	/** What is played unless the user chooses. */
	static final List<Strategy> DEFAULT = parse("none,synchronized," + LOCKED);

	private Strategies() {
	}

	/**
	 * Read the value of {@code --strategies=}.
	 * @param value names with commas between them, or {@code all}
	 * @return the strategies in the order given
	 * @throws IllegalArgumentException if one is unknown
	 */
	static List<Strategy> parse(String value) {
		return value.equals("all") ? ALL
				: Stream.of(value.split(",")).map(String::strip).map(Strategies::of).distinct().toList();
	}

	private static Strategy of(String name) {
		return ALL.stream()
			.filter((strategy) -> strategy.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("--strategies=%s is unknown: use all, or some of %s"
				.formatted(name, String.join(",", ALL.stream().map(Strategy::name).toList()))));
	}

}
