package io.github.distlock.sample.strategies;

import java.util.List;

import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Strategy;
import io.github.distlock.lab.runs.Strategy.Source;
import io.github.distlock.lab.servers.Store;

import static io.github.distlock.lab.runs.Fault.CLOCK;
import static io.github.distlock.lab.runs.Fault.CRASH;
import static io.github.distlock.lab.runs.Fault.PAUSE;
import static io.github.distlock.lab.runs.Fault.SLOW;
import static io.github.distlock.lab.runs.Verdict.BLOCKS;
import static io.github.distlock.lab.runs.Verdict.HOLDS;
import static io.github.distlock.lab.runs.Verdict.OVERSELLS;

/**
 * The strategies for the lab, in the order in which they are tried: no lock, hand-made
 * locks, the means of the database, and distlock in its stores. Each has an expected
 * verdict and a reason for each fault. A new strategy is one entry here and one
 * {@code StockStrategy}.
 */
public final class StrategyCatalogue {

	private static final String NONE = "none";

	private static final String HAND_MADE = "hand-made";

	private static final String DATABASE = "database";

	private static final String DISTLOCK = "distlock";

	private static final String LOCKED = "distributed-lock";

	private static final String LATE = "The lease ended during the slow work, another holder entered, and the late write covered its sale.";

	private static final String EXPIRED = "The key of the crashed holder expired by the clock of the Redis server, and the next caller entered.";

	private static final String SERVER = "The clock of the Redis server ends the lease, so the clock of the node does not matter.";

	private static final String RENEWED = "The watchdog renewed the lease until the slow work was done, so no other caller entered.";

	private static final String ENDED = "The crash ended the watchdog, so the lease ended by the server's clock and the next caller entered.";

	private static final String OVERSLEPT = "The lease ended during the pause, another holder entered, and the late write covered its sale.";

	private static final String UNFENCED = "The pause stopped the watchdog, too, and without a transaction there is no fence: the late write stayed.";

	private static final String REFUSED = "The lease ended during the pause, the next holder waited for the row, and the late sale was rolled back.";

	private static final List<Strategy> ALL = List.of(Strategy
		.of("none", OVERSELLS, "Two buyers read the same stock, and the later write overwrites the earlier one.")
		.under(CRASH, OVERSELLS, "Without a lock, two buyers read the same stock; the crash is not needed for that.")
		.under(SLOW, OVERSELLS,
				"The slow buyer wrote a stock that it had read long before, and covered all sales in between.")
		.under(PAUSE, OVERSELLS,
				"The paused buyers wrote a stock that they had read long before, and covered all sales in between.")
		.under(CLOCK, OVERSELLS, "Without a lock, two buyers read the same stock, whatever the clock says.")
		.shown(NONE, "synchronized", new Source("strategies/UnprotectedStock", "sell")),

			Strategy
				.of("synchronized", OVERSELLS, "The keyword locks inside one JVM, and two JVMs sell the same stock.")
				.under(CRASH, OVERSELLS,
						"The keyword locks inside one JVM, and until the crash two JVMs sold the same stock.")
				.under(SLOW, OVERSELLS,
						"The keyword locks inside one JVM, and the slow write covered all sales of the other JVM in between.")
				.under(PAUSE, OVERSELLS,
						"The keyword locks inside one JVM, and the late write covered all sales of the other JVM in between.")
				.under(CLOCK, OVERSELLS,
						"The keyword locks inside one JVM, and two JVMs sell the same stock, whatever the clock says.")
				.shown(NONE, "mkdir", new Source("strategies/SynchronizedStock", "sell")),

			Strategy.of("mkdir", HOLDS, "The file system creates a folder once, and only the holder removes it.")
				.under(CRASH, BLOCKS, "The folder of the crashed holder remains, and no other caller removes it.")
				.under(SLOW, HOLDS, "A folder has no lease: it remained until the slow holder removed it.")
				.under(PAUSE, HOLDS,
						"A folder has no lease: it remained until the paused holder continued and removed it.")
				.under(CLOCK, HOLDS, "A folder does not expire, so no clock matters.")
				.shown(HAND_MADE, "setnx-expire", new Source("strategies/MkdirStock", "sell")),

			Strategy.of("setnx", HOLDS, "Redis creates the key once, and only the holder deletes it.")
				.under(CRASH, BLOCKS,
						"The key of the crashed holder remains: it does not expire, and no other caller deletes it.")
				.under(SLOW, HOLDS, "The key has no lease: it remained until the slow holder deleted it.")
				.under(PAUSE, HOLDS,
						"The key has no lease: it remained until the paused holder continued and deleted it.")
				.under(CLOCK, HOLDS, "The key does not expire, so no clock matters.")
				.shown(HAND_MADE, "setnx-expire", new Source("strategies/SetnxStock", "sell")),

			Strategy.of("setnx-expire", HOLDS, "SETNX creates the key once, and its holder reached EXPIRE.")
				.under(CRASH, BLOCKS, "The node crashed between SETNX and EXPIRE, so the key never expires.")
				.under(SLOW, OVERSELLS, LATE)
				.under(PAUSE, OVERSELLS, OVERSLEPT)
				.under(CLOCK, HOLDS, SERVER)
				.shown(HAND_MADE, "setnx-getset", new Source("strategies/SetnxExpireStock", "sell")),

			Strategy.of("setnx-getset", HOLDS, "The value is the end of the lease, and only one caller wins GETSET.")
				.under(CRASH, HOLDS,
						"The lease of the crashed holder ended, and GETSET let one of the waiting callers take over.")
				.under(SLOW, OVERSELLS, LATE)
				.under(PAUSE, OVERSELLS, OVERSLEPT)
				.under(CLOCK, OVERSELLS,
						"For a clock that is ahead, every lease has ended, so the node took over locks that were held.")
				.shown(HAND_MADE, "set-ex-fixed", new Source("strategies/SetnxGetsetStock", "sell")),

			Strategy
				.of("set-ex-fixed", HOLDS,
						"One command creates the key and its expiry, by the clock of the Redis server.")
				.under(CRASH, HOLDS, EXPIRED)
				.under(SLOW, OVERSELLS,
						"The slow holder's late write covered other sales, and its late DEL freed another holder's lock.")
				.under(PAUSE, OVERSELLS, OVERSLEPT)
				.under(CLOCK, HOLDS, SERVER)
				.shown(HAND_MADE, "set-px-unique", new Source("strategies/SetExFixedStock", "sell")),

			Strategy
				.of("set-px-unique", HOLDS,
						"One command creates the key and its expiry, and only its holder can delete it.")
				.under(CRASH, HOLDS, EXPIRED)
				.under(SLOW, OVERSELLS,
						"The lease ended during the slow work: no watchdog renewed it, and nothing refused the late write.")
				.under(PAUSE, OVERSELLS, OVERSLEPT)
				.under(CLOCK, HOLDS, SERVER)
				.shown(HAND_MADE, LOCKED, new Source("strategies/SetPxUniqueStock", "sell")),

			Strategy.of("optimistic", HOLDS, "A write with an old version changes nothing, and its buyer starts again.")
				.under(CRASH, HOLDS,
						"The crashed node held no lock and had written nothing, so the other buyers continued.")
				.under(SLOW, HOLDS, "The version changed during the slow work, so the database refused the late write.")
				.under(PAUSE, HOLDS, "The version changed during the pause, so the database refused the late write.")
				.under(CLOCK, HOLDS, "The version is a number and not a time, so no clock matters.")
				.shown(DATABASE, null, new Source("strategies/OptimisticStock", "sell")),

			Strategy.of("for-update", HOLDS, "SELECT … FOR UPDATE locks the row until the transaction ends.")
				.under(CRASH, HOLDS,
						"The database rolled the transaction of the crashed node back, and with it the row lock ended.")
				.under(SLOW, HOLDS, "A row lock has no lease: it remained until the slow transaction ended.")
				.under(PAUSE, HOLDS,
						"A row lock has no lease: it remained until the paused transaction continued and ended.")
				.under(CLOCK, HOLDS, "A row lock ends with its transaction, so no clock matters.")
				.shown(DATABASE, null, new Source("strategies/ForUpdateStock", "sell")),

			Strategy
				.of("segments", HOLDS,
						"Each of ten parts of the stock has its own lock, so ten buyers are served at a time.")
				.under(CRASH, HOLDS,
						"The lease of the crashed holder's part ended, and meanwhile the nine other parts were sold.")
				.under(SLOW, HOLDS,
						"The watchdog renewed the lease of the slow part, and the nine other parts did not wait for it.")
				.under(PAUSE, HOLDS, REFUSED)
				.under(CLOCK, HOLDS, SERVER)
				.shown(DISTLOCK, null, new Source("strategies/StockSegments", "sell")),

			Strategy.of(LOCKED, HOLDS, "@DistributedLock lets one caller at a time enter, over all JVMs.")
				.under(CRASH, HOLDS, ENDED)
				.under(SLOW, HOLDS, RENEWED)
				.under(PAUSE, HOLDS, REFUSED)
				.under(CLOCK, HOLDS, SERVER)
				.shown(DISTLOCK, null, new Source("shop/StockService", "sell")),

			Strategy
				.of("redis", HOLDS,
						"One script acquires the lock and one releases it, for one caller at a time over all JVMs.")
				.under(CRASH, HOLDS, ENDED)
				.under(SLOW, HOLDS, RENEWED)
				.under(PAUSE, OVERSELLS, UNFENCED)
				.under(CLOCK, HOLDS, SERVER)
				.shown(DISTLOCK, LOCKED, new Source("strategies/RedisStock", "sell")),

			Strategy.of("redis-fair", HOLDS, "One caller at a time enters, in the order of arrival over all JVMs.")
				.under(CRASH, HOLDS, ENDED)
				.under(SLOW, HOLDS, RENEWED)
				.under(PAUSE, OVERSELLS, UNFENCED)
				.under(CLOCK, HOLDS, SERVER)
				.shown(DISTLOCK, LOCKED, new Source("strategies/RedisFairStock", "sell")),

			Strategy.of("redlock", HOLDS, "A majority of five Redis masters grants the lock to one caller at a time.")
				.under(CRASH, HOLDS,
						"The crash ended the watchdog, so the leases on the five masters ended and the next caller entered.")
				.under(SLOW, HOLDS, "The watchdog renewed the leases on the masters until the slow work was done.")
				.under(PAUSE, OVERSELLS, UNFENCED)
				.under(CLOCK, HOLDS,
						"The clocks of the five masters end the leases, so the clock of the node does not matter.")
				.in(Store.REDLOCK)
				.shown(DISTLOCK, LOCKED, new Source("strategies/RedlockStock", "sell")),

			Strategy.of("jdbc-lease", HOLDS, "A row of the database names the holder and the end of its lease.")
				.under(CRASH, HOLDS, "The crash ended the watchdog, so the lease ended by the clock of the database.")
				.under(SLOW, HOLDS, "The watchdog renewed the lease in the row until the slow work was done.")
				.under(PAUSE, OVERSELLS, UNFENCED)
				.under(CLOCK, HOLDS,
						"The clock of the database ends the lease, so the clock of the node does not matter.")
				.in(Store.JDBC_LEASE)
				.shown(DISTLOCK, LOCKED, new Source("strategies/JdbcLeaseStock", "sell")),

			Strategy
				.of("jdbc-connection", HOLDS,
						"An open transaction locks a row of the database until the lock is released.")
				.under(CRASH, HOLDS,
						"The connection of the crashed node closed, and the database freed the row at once.")
				.under(SLOW, HOLDS, "The row lock has no lease: it remained until the slow work was done.")
				.under(PAUSE, HOLDS, "The row lock has no lease: it remained until the paused node continued.")
				.under(CLOCK, HOLDS, "The row lock ends with its transaction, so no clock matters.")
				.in(Store.JDBC_CONNECTION)
				.shown(DISTLOCK, null, new Source("strategies/JdbcConnectionStock", "sell")),

			Strategy
				.of("zookeeper", HOLDS, "ZooKeeper keeps the callers in a queue, and its first node holds the lock.")
				.under(CRASH, HOLDS,
						"The session of the crashed node ended, and ZooKeeper removed its place in the queue.")
				.under(SLOW, HOLDS, "The session of the slow node stayed alive, and with it the lock.")
				.under(PAUSE, HOLDS, "The pause was shorter than the session of the node, so the lock remained.")
				.under(CLOCK, HOLDS, "ZooKeeper measures sessions itself, so the clock of the node does not matter.")
				.in(Store.ZOOKEEPER)
				.shown(DISTLOCK, null, new Source("strategies/ZooKeeperStock", "sell")),

			Strategy.of("local", OVERSELLS, "The lock is in the memory of one JVM, and two JVMs sell the same stock.")
				.under(CRASH, OVERSELLS,
						"The lock is in the memory of one JVM, and until the crash two JVMs sold the same stock.")
				.under(SLOW, OVERSELLS,
						"The lock is in the memory of one JVM, and the slow write covered all sales of the other JVM in between.")
				.under(PAUSE, OVERSELLS,
						"The lock is in the memory of one JVM, and the late write covered all sales of the other JVM.")
				.under(CLOCK, OVERSELLS,
						"The lock is in the memory of one JVM, and two JVMs sell the same stock, whatever the clock says.")
				.in(Store.LOCAL)
				.shown(DISTLOCK, LOCKED, new Source("strategies/LocalStock", "sell")));

	private StrategyCatalogue() {
	}

	/**
	 * Return the catalogue.
	 */
	public static Catalogue catalogue() {
		return Catalogue.of(ALL, "none", "synchronized", LOCKED);
	}

}
