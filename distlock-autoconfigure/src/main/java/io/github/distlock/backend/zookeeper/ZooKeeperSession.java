package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.StoreSession;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * One session with ZooKeeper, and until when it lives for certain.
 * <p>
 * The leader ends a session when it has heard nothing of it for the session timeout. It
 * hears of it through the server to which this client is connected, which reports each
 * half tick; a tick is half of the session timeout at most, so each quarter of it. A
 * client cannot see those reports, and a server that has lost its leader goes on
 * answering reads. So only an answer that came from the leader proves anything
 * ({@link #beat()}): what the server had heard a quarter of the timeout before has been
 * reported by then, and the session lives for its timeout from that moment.
 */
final class ZooKeeperSession implements StoreSession {

	/** Of the session timeout: after that the server's report has reached the leader. */
	private static final double REPORTED_SHARE = 0.25;

	/**
	 * Of the session timeout: what is left of it, when the leader answers. The client
	 * sends something each third of it, and the server reports each quarter.
	 */
	private static final double LEFT_SHARE = 1 - 1.0 / 3 - REPORTED_SHARE;

	/** Beats that are further apart than this had a pause between them. */
	private static final double STEADY_SHARE = 1.0 / 3;

	/** Of the session timeout: how often the leader is asked. */
	private static final double BEAT_SHARE = 0.26;

	private static final long SHORTEST_PAUSE_NANOS = Duration.ofMillis(20).toNanos();

	private final ZooKeeper zooKeeper;

	private final long id;

	private final AsyncZooKeeper handle;

	private final TimeSource clock;

	private final Duration timeout;

	private final ReentrantLock lock = new ReentrantLock();

	/** When that was sent of which the leader has heard. Guarded by {@link #lock}. */
	private TimeSource.@Nullable Instant heard;

	/** When the last beat was sent that was answered. Guarded by {@link #lock}. */
	private TimeSource.@Nullable Instant lastBeat;

	/** Replaced by later ones only, guarded by {@link #lock} for writing. */
	private volatile @Nullable Validity proven;

	ZooKeeperSession(ZooKeeper zooKeeper, String namespace, TimeSource clock) {
		this.zooKeeper = zooKeeper;
		this.id = zooKeeper.getSessionId();
		this.handle = new AsyncZooKeeper(zooKeeper, namespace);
		this.clock = clock;
		this.timeout = Duration.ofMillis(zooKeeper.getSessionTimeout());
	}

	AsyncZooKeeper handle() {
		return this.handle;
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

	/** Whether it is over, for certain: the client knows it, or has closed it. */
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
	 * Ask the leader whether the session lives. After a pause of this process one answer
	 * proves nothing of the time to come: the leader may not have heard of us for long.
	 */
	CompletableFuture<Boolean> beat() {
		TimeSource.Instant sent = this.clock.now();
		return this.handle.sync("/").thenApply((answer) -> answered(sent));
	}

	/** It has been connected anew, and the leader was told. */
	void reconnected() {
		this.lock.lock();
		try {
			this.heard = null;
			this.lastBeat = null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean answered(TimeSource.Instant sent) {
		this.lock.lock();
		try {
			TimeSource.Instant previous = this.lastBeat;
			this.lastBeat = sent;
			if (previous == null || sent.nanos() - previous.nanos() <= share(STEADY_SHARE).toNanos()) {
				prove(Validity.until(sent, share(LEFT_SHARE)));
			}
			TimeSource.Instant before = this.heard;
			if (before == null) {
				this.heard = sent;
			}
			else if (sent.nanos() - before.nanos() >= share(REPORTED_SHARE).toNanos()) {
				prove(Validity.until(before, this.timeout));
				this.heard = sent;
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void prove(Validity later) {
		Validity current = this.proven;
		if (current == null || later.remainingNanos(this.clock) > current.remainingNanos(this.clock)) {
			this.proven = later;
		}
	}

	/** When to ask the leader again, or to find that the session may have ended. */
	long untilNextBeatNanos() {
		Validity current = this.proven;
		long left = (current != null) ? current.remainingNanos(this.clock) : 0;
		long pause = share(BEAT_SHARE).toNanos();
		return (left > 0) ? Math.max(SHORTEST_PAUSE_NANOS, Math.min(pause, left)) : pause;
	}

	private Duration share(double share) {
		return Duration.ofNanos((long) (this.timeout.toNanos() * share));
	}

}
