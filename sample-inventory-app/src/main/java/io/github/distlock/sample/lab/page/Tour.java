package io.github.distlock.sample.lab.page;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The history of the idea, in the order in which the page tells it.
 */
final class Tour {

	private static final String NONE = "none";

	private static final String HAND_MADE = "hand-made";

	private static final String DATABASE = "database";

	private static final String DISTLOCK = "distlock";

	private static final String LOCKED = "distributed-lock";

	/** One step for each strategy. */
	static final List<Step> STEPS = List.of(
			new Step("none", NONE, "synchronized", "inventory/UnprotectedStock", "deduct"),
			new Step("synchronized", NONE, "mkdir", "inventory/SynchronizedStock", "deduct"),
			new Step("mkdir", HAND_MADE, "setnx-expire", "inventory/history/MkdirStock", "deduct"),
			new Step("setnx", HAND_MADE, "setnx-expire", "inventory/history/SetnxStock", "deduct"),
			new Step("setnx-expire", HAND_MADE, "setnx-getset", "inventory/history/SetnxExpireStock", "deduct"),
			new Step("setnx-getset", HAND_MADE, "set-ex-fixed", "inventory/history/SetnxGetsetStock", "deduct"),
			new Step("set-ex-fixed", HAND_MADE, "set-px-unique", "inventory/history/SetExFixedStock", "deduct"),
			new Step("set-px-unique", HAND_MADE, LOCKED, "inventory/history/SetPxUniqueStock", "deduct"),
			new Step("optimistic", DATABASE, null, "inventory/history/OptimisticStock", "deduct"),
			new Step("for-update", DATABASE, null, "inventory/history/ForUpdateStock", "deduct"),
			new Step("segments", DISTLOCK, null, "inventory/history/StockSegments", "sell"),
			new Step(LOCKED, DISTLOCK, null, "inventory/FencedSale", "sell"),
			new Step("redis", DISTLOCK, LOCKED, "inventory/stores/RedisStock", "deduct"),
			new Step("redis-fair", DISTLOCK, LOCKED, "inventory/stores/RedisFairStock", "deduct"),
			new Step("redlock", DISTLOCK, LOCKED, "inventory/stores/RedlockStock", "deduct"),
			new Step("jdbc-lease", DISTLOCK, LOCKED, "inventory/stores/JdbcLeaseStock", "deduct"),
			new Step("jdbc-row", DISTLOCK, null, "inventory/stores/JdbcRowStock", "deduct"),
			new Step("zookeeper", DISTLOCK, null, "inventory/stores/ZooKeeperStock", "deduct"),
			new Step("local", DISTLOCK, LOCKED, "inventory/stores/LocalStock", "deduct"));

	private Tour() {
	}

	/**
	 * A step.
	 *
	 * @param strategy name of the strategy
	 * @param group the group that it is shown in
	 * @param fixedBy the strategy that fixes what is wrong with it, or {@code null}
	 * @param source its source file, without the extension
	 * @param method the method to show
	 */
	record Step(String strategy, String group, @Nullable String fixedBy, String source, String method) {

		String file() {
			return this.source.substring(this.source.lastIndexOf('/') + 1) + ".java";
		}

	}

}
