package io.github.distlock.torture;

import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import io.github.distlock.testing.ZooKeeperProcess;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.github.distlock.torture.check.Checker;
import io.github.distlock.torture.history.HistoryWriter;
import io.github.distlock.torture.history.Kind;
import io.github.distlock.torture.worker.WorkerSettings.Load;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The ZooKeeper server of a run. The session timeout of the workers is the lease of their
 * watchdog, so that pauses and delays, which are shares of that, are shares of a session.
 * <p>
 * The recorded owner of a key is its first node, found by a poll: not owners between two
 * polls, and of several readers only the first. A node never returns, so the rules about
 * owners allow that. The first node may be that of a caller that does not know it yet.
 */
final class ZooKeeperStore implements Store {

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

	private static final Duration WATCH = Duration.ofMillis(100);

	private static final Duration OWN_SESSION = Duration.ofSeconds(6);

	/** The last session of a worker has ended by then, and its folders are removed. */
	private static final Duration LEFT_OVER = Duration.ofSeconds(30);

	private static final String ROOT = "/distlock";

	/** The distance between the first tokens of two transactions. */
	private static final long TOKENS = 64;

	private final HistoryWriter history;

	private final int keys;

	private final ZooKeeperProcess server = new ZooKeeperProcess();

	private final CuratorFramework client = ZooKeeperTestServer.client("127.0.0.1:" + this.server.port(), OWN_SESSION);

	private volatile boolean closed;

	ZooKeeperStore(HistoryWriter history, Load load) {
		this.history = history;
		this.keys = load.keys();
		this.client.start();
		// The server counts in ticks.
		history.write(Kind.SESSIONS, "millis", load.leaseMillis() + ZooKeeperTestServer.TICK.toMillis());
		Thread watcher = new Thread(this::watch, "store-watcher");
		watcher.setDaemon(true);
		watcher.start();
	}

	@Override
	public int port() {
		return this.server.port();
	}

	@Override
	public Set<FaultKind> faults() {
		return FAULTS;
	}

	@Override
	public void inject(FaultKind kind, Signals signals, Random random) {
		switch (kind) {
			case CRASH -> this.server.crash();
			case STALL -> signals.stall(this.server.pid(), random);
			default -> throw new IllegalArgumentException(kind.toString());
		}
	}

	/** Record the first node of each key whenever it changes. */
	private void watch() {
		Map<String, String> seen = new HashMap<>();
		while (!this.closed) {
			try {
				for (int i = 0; i < this.keys; i++) {
					recordOwner("k" + i, seen);
				}
			}
			catch (Exception ex) {
				// Stalled or unreachable: the owners are unknown.
				seen.keySet().forEach((key) -> this.history.write(Kind.STORE, "key", key, "owner", "?", "last", 0));
				seen.clear();
			}
			Pauses.pause(WATCH);
		}
	}

	private void recordOwner(String key, Map<String, String> seen) throws Exception {
		long asked = System.nanoTime();
		String first = children(ROOT + "/" + key).stream()
			.min(Comparator.comparingInt(ZooKeeperStore::number))
			.orElse("");
		if (first.equals(seen.get(key))) {
			return;
		}
		Stat stat = first.isEmpty() ? null : this.client.checkExists().forPath(ROOT + "/" + key + "/" + first);
		if (first.isEmpty() || stat != null) {
			seen.put(key, first);
			String ticket = first.substring(0, Math.max(0, first.lastIndexOf('-')));
			this.history.writeAt(asked, Kind.STORE, "key", key, "owner", ticket, "last",
					(stat != null) ? stat.getCzxid() * TOKENS + Checker.HAND_OFF_BUDGET : 0);
		}
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
	 * All sessions end, and the server removes the folders that have no node any more:
	 * nothing remains.
	 */
	@Override
	public void recordLeftOvers() {
		long end = System.nanoTime() + LEFT_OVER.toNanos();
		String left;
		do {
			Pauses.pause(WATCH);
			left = leftOvers();
		}
		while (!left.equals("none") && System.nanoTime() < end);
		this.history.write(Kind.LEFT_OVER, "names", left);
	}

	private String leftOvers() {
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
	public void close() {
		this.closed = true;
		this.client.close();
		this.server.close();
	}

}
