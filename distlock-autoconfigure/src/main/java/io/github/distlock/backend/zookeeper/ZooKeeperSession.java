package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.StoreSession;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * A session with ZooKeeper, and the time until which it is certainly alive.
 * <p>
 * The leader ends a session if it receives nothing from it for the session timeout. The
 * client is connected to one server, which reports its sessions to the leader each half
 * tick. A tick is at most half of the session timeout, so there is a report at least each
 * quarter of the session timeout. The client cannot see these reports, and a server that
 * has lost its leader still answers reads. So only a reply of the leader is a proof
 * ({@link #confirm()}): what the server received a quarter of the session timeout before
 * that reply has been reported, and the session lives for its timeout from that moment.
 */
final class ZooKeeperSession implements StoreSession {

	/** Share of the session timeout after which the server's report has arrived. */
	private static final double REPORT_SHARE = 0.25;

	/**
	 * Share of the session timeout that is left when the leader replies: the client sends
	 * something each third of the session timeout, and the server reports each quarter.
	 */
	private static final double REMAINING_SHARE = 1 - 1.0 / 3 - REPORT_SHARE;

	/**
	 * Share of the session timeout. If two confirmations are further apart, this process
	 * paused between them.
	 */
	private static final double PAUSE_SHARE = 1.0 / 3;

	/** Share of the session timeout between two confirmations. */
	private static final double CONFIRMATION_SHARE = 0.26;

	private static final long SHORTEST_DELAY_NANOS = Duration.ofMillis(20).toNanos();

	private final ZooKeeper zooKeeper;

	private final long id;

	private final AsyncZooKeeper commands;

	private final TimeSource clock;

	private final Duration timeout;

	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * When the earliest confirmation was sent whose report to the leader is not proven
	 * yet. Guarded by {@link #lock}.
	 */
	private TimeSource.@Nullable Instant unreported;

	/** When the last answered confirmation was sent. Guarded by {@link #lock}. */
	private TimeSource.@Nullable Instant lastConfirmation;

	/** Only replaced by later ones. Guarded by {@link #lock} for writing. */
	private volatile @Nullable Validity proven;

	ZooKeeperSession(CuratorFramework client, ZooKeeper zooKeeper, TimeSource clock) {
		this.zooKeeper = zooKeeper;
		this.id = zooKeeper.getSessionId();
		this.commands = new AsyncZooKeeper(client, zooKeeper);
		this.clock = clock;
		this.timeout = Duration.ofMillis(zooKeeper.getSessionTimeout());
	}

	AsyncZooKeeper commands() {
		return this.commands;
	}

	Duration timeout() {
		return this.timeout;
	}

	boolean isOf(ZooKeeper other) {
		return this.zooKeeper == other;
	}

	boolean hasId(long other) {
		return this.id == other;
	}

	boolean isConnected() {
		return this.zooKeeper.getState().isConnected();
	}

	/** Whether the session has certainly ended: it has expired or was closed. */
	boolean hasEnded() {
		return !this.zooKeeper.getState().isAlive();
	}

	@Override
	public boolean isAlive() {
		return remainingNanos() > 0;
	}

	@Override
	public long remainingNanos() {
		Validity current = this.proven;
		return (current != null && !hasEnded()) ? current.remainingNanos(this.clock) : 0;
	}

	/**
	 * Ask the leader whether the session lives. After a pause of this process, a single
	 * reply proves nothing about the future: the leader may have received no report of
	 * the session for long.
	 */
	CompletableFuture<Boolean> confirm() {
		TimeSource.Instant sent = this.clock.now();
		return this.commands.sync("/").thenApply((reply) -> confirmed(sent));
	}

	/** The client has connected again, which the leader has confirmed. */
	void reconnected() {
		this.lock.lock();
		try {
			this.unreported = null;
			this.lastConfirmation = null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean confirmed(TimeSource.Instant sent) {
		this.lock.lock();
		try {
			TimeSource.Instant previous = this.lastConfirmation;
			this.lastConfirmation = sent;
			if (previous == null || sent.nanos() - previous.nanos() <= share(PAUSE_SHARE).toNanos()) {
				extend(Validity.until(sent, share(REMAINING_SHARE)));
			}
			TimeSource.Instant received = this.unreported;
			if (received == null) {
				this.unreported = sent;
			}
			else if (sent.nanos() - received.nanos() >= share(REPORT_SHARE).toNanos()) {
				extend(Validity.until(received, this.timeout));
				this.unreported = sent;
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void extend(Validity validity) {
		Validity current = this.proven;
		if (current == null || validity.remainingNanos(this.clock) > current.remainingNanos(this.clock)) {
			this.proven = validity;
		}
	}

	/** The delay until the leader is asked again, or until the session may have ended. */
	long nextConfirmationNanos() {
		Validity current = this.proven;
		long remaining = (current != null) ? current.remainingNanos(this.clock) : 0;
		long delay = share(CONFIRMATION_SHARE).toNanos();
		return (remaining > 0) ? Math.max(SHORTEST_DELAY_NANOS, Math.min(delay, remaining)) : delay;
	}

	private Duration share(double share) {
		return Duration.ofNanos((long) (this.timeout.toNanos() * share));
	}

}
