package io.github.distlock.torture;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import io.github.distlock.testing.ZooKeeperProcess;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.github.distlock.torture.check.Checker;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;
import io.github.distlock.torture.worker.WorkerSettings.Load;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The ZooKeeper server of a run. The session timeout of the workers is the lease of their
 * watchdog, so that pauses and delays, which are shares of that, are shares of a session.
 * <p>
 * The recorded owner of a key is its first node, found by a poll: not owners between two
 * polls, and of several readers only the first. A node never returns, so the rules about
 * owners allow that. The first node may be that of a caller that does not know it yet.
 */
final class ZooKeeperStore extends Store {

	/**
	 * The faults of workers, of connections and of the server's process. Not those of
	 * Redis alone (scripts, subscriptions, memory, data that is lost), and not those that
	 * need an order to the server: it has none that breaks connections or stops to
	 * answer.
	 */
	private static final Set<FaultKind> FAULTS = EnumSet.of(FaultKind.CRASH, FaultKind.STALL, FaultKind.LOSE_REPLIES,
			FaultKind.LATE_COPIES, FaultKind.CUT, FaultKind.REFUSE, FaultKind.SLOW, FaultKind.KILL_HOLDER,
			FaultKind.KILL_ACQUIRING, FaultKind.KILL_RELEASING, FaultKind.PAUSE_HOLDER, FaultKind.PAUSE_ACQUIRING,
			FaultKind.PAUSE_RELEASING, FaultKind.PAUSE_RENEWING);

	private static final Duration OWN_SESSION = Duration.ofSeconds(6);

	private static final String ROOT = "/distlock";

	/** The distance between the first tokens of two transactions. */
	private static final long TOKENS = 64;

	private final ZooKeeperProcess server = ZooKeeperProcess.start();

	private final CuratorFramework client = ZooKeeperTestServer.client("127.0.0.1:" + this.server.port(), OWN_SESSION);

	ZooKeeperStore(HistoryWriter history, Load load) {
		super(history, load.keys(), FAULTS);
		this.client.start();
		// The server counts in ticks.
		history.write(Kind.SESSIONS, "millis", load.leaseMillis() + ZooKeeperTestServer.TICK.toMillis());
		watch(() -> () -> {
		}, (none, key) -> owner(key));
	}

	@Override
	int port() {
		return this.server.port();
	}

	@Override
	void inject(FaultKind kind, Random random) {
		switch (kind) {
			case CRASH -> this.server.crash();
			case STALL -> stall(random, this.server.pid());
			default -> throw new IllegalArgumentException(kind.toString());
		}
	}

	/** The first node of a key, unless it has just gone. */
	private @Nullable Owner owner(String key) throws Exception {
		String first = children(ROOT + "/" + key).stream()
			.min(Comparator.comparingInt(ZooKeeperStore::number))
			.orElse("");
		if (first.isEmpty()) {
			return new Owner("", 0);
		}
		Stat stat = this.client.checkExists().forPath(ROOT + "/" + key + "/" + first);
		return (stat != null) ? new Owner(first.substring(0, Math.max(0, first.lastIndexOf('-'))),
				stat.getCzxid() * TOKENS + Checker.HAND_OFF_BUDGET) : null;
	}

	/** Does not use the code of the library for it. */
	private static int number(String node) {
		return Integer.parseInt(node.substring(node.lastIndexOf('-') + 1));
	}

	private List<String> children(String path) throws Exception {
		try {
			return this.client.getChildren().forPath(path);
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
	}

	/**
	 * All sessions have ended by then, and the server has removed the folders that have
	 * no node any more: nothing remains.
	 */
	@Override
	Duration longestLeftOver() {
		return Duration.ofSeconds(30);
	}

	@Override
	String leftOvers() {
		try {
			Set<String> paths = new TreeSet<>();
			for (String folder : children(ROOT)) {
				paths.add(folder + children(ROOT + "/" + folder));
			}
			return paths.isEmpty() ? "none" : paths.toString();
		}
		catch (Exception ex) {
			return "unknown: " + ex;
		}
	}

	@Override
	public void close() throws IOException {
		super.close();
		this.client.close();
		this.server.close();
	}

}
