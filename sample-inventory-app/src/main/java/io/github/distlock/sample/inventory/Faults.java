package io.github.distlock.sample.inventory;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * What can go wrong on this node, on request. A fault is aimed: it waits for the next
 * holder of the lock, so that it breaks what it can break every time.
 */
@Component
public class Faults {

	/** The status of a process that crashed because it was asked to. */
	public static final int CRASHED = 86;

	private static final Duration CLOCK_ERROR = Duration.ofHours(3);

	private final Duration slowness;

	private final AtomicReference<@Nullable Kind> armed = new AtomicReference<>();

	/** Set for a holder that has passed the crash point of its strategy. */
	private final ThreadLocal<Boolean> passed = new ThreadLocal<>();

	Faults(InventoryProperties properties) {
		// Half a lease is left for others to enter beside the slow holder.
		this.slowness = properties.lease().multipliedBy(3).dividedBy(2);
	}

	/**
	 * Crash, if the next holder is to crash: the process ends here and now, without any
	 * {@code finally}, as with {@code kill -9}.
	 */
	public void crashIfAsked() {
		boolean isNext = this.passed.get() == null;
		this.passed.remove();
		if (isNext && this.armed.get() == Kind.CRASH) {
			Runtime.getRuntime().halt(CRASHED);
		}
	}

	/**
	 * Crash between two commands of a strategy, if the next holder is to crash. A holder
	 * that passes this point does not crash later: if the fault is aimed in between, the
	 * next holder is the one after it.
	 */
	public void crashBetweenCommandsIfAsked() {
		this.passed.remove();
		crashIfAsked();
		this.passed.set(true);
	}

	/**
	 * Say by how much the work of this holder takes longer.
	 * @return one and a half leases for one holder, if that was asked for, else zero
	 */
	Duration slowness() {
		return this.armed.compareAndSet(Kind.SLOW, null) ? this.slowness : Duration.ZERO;
	}

	/**
	 * Read this node's wall clock, which may be wrong.
	 * @return milliseconds since 1970, three hours too many if that was asked for
	 */
	public long currentTimeMillis() {
		return System.currentTimeMillis() + ((this.armed.get() == Kind.CLOCK) ? CLOCK_ERROR.toMillis() : 0);
	}

	/**
	 * Aim a fault at the next holder.
	 * @param kind which
	 */
	void arm(Kind kind) {
		this.armed.set(kind);
	}

	/**
	 * Take back what was asked for.
	 * @return whether it had struck; a wrong clock strikes all the time
	 */
	boolean disarm() {
		Kind left = this.armed.getAndSet(null);
		// A slow holder has taken it; a crashed one would not be asked.
		return left == null || left == Kind.CLOCK;
	}

	/**
	 * What can go wrong.
	 */
	enum Kind {

		/** The process dies while it holds the lock. */
		CRASH,

		/** The work takes longer than the lease. */
		SLOW,

		/** The node's clock is three hours ahead. */
		CLOCK;

		static Kind of(String name) {
			return valueOf(name.toUpperCase(Locale.ROOT));
		}

	}

}
