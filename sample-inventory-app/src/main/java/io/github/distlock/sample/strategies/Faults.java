package io.github.distlock.sample.strategies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.lab.processes.Child;
import io.github.distlock.lab.records.StockRecords;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * The faults of this node, on request. A fault waits for the next holder of the lock, so
 * that it breaks in each run what it can break. A fault that strikes is recorded.
 */
@Component
class Faults {

	private static final Duration CLOCK_ERROR = Duration.ofHours(3);

	private final Duration slowness;

	private final StockRecords records;

	private final AtomicReference<@Nullable Kind> armed = new AtomicReference<>();

	/** Set for a holder that has passed the crash point of its strategy. */
	private final ThreadLocal<Boolean> passed = new ThreadLocal<>();

	Faults(NodeProperties properties, StockRecords records) {
		this.records = records;
		// For half a lease, other callers can acquire the lock beside the slow holder.
		this.slowness = properties.lease().multipliedBy(3).dividedBy(2);
	}

	/**
	 * Let the requested fault strike this holder, if there is one. Blocks as long as the
	 * fault lasts. It may end the process.
	 */
	void strikeIfAsked() {
		crashIfAsked();
		pauseIfAsked();
		sleep(slowness());
	}

	/**
	 * Crash, if the next holder is to crash: the process ends at once and runs no
	 * {@code finally} block, as with {@code kill -9}.
	 */
	void crashIfAsked() {
		boolean isNext = this.passed.get() == null;
		this.passed.remove();
		if (isNext && this.armed.compareAndSet(Kind.CRASH, null)) {
			this.records.fault(Kind.CRASH.option(), null);
			Runtime.getRuntime().halt(Child.CRASHED);
		}
	}

	/**
	 * Crash between two commands of a strategy, if the next holder is to crash. A holder
	 * that passes this point does not crash later. A fault that is requested after this
	 * point strikes the holder after it.
	 */
	void crashBetweenCommandsIfAsked() {
		this.passed.remove();
		crashIfAsked();
		this.passed.set(true);
	}

	/**
	 * Pause this process for longer than the lease, if the next holder is to be paused:
	 * all its threads stand still, as in a long garbage collection or on a suspended
	 * machine. The signal to continue comes from a shell, which is not paused.
	 */
	void pauseIfAsked() {
		if (!this.armed.compareAndSet(Kind.PAUSE, null)) {
			return;
		}
		this.records.fault(Kind.PAUSE.option(), null);
		try {
			new ProcessBuilder("sh", "-c", "kill -STOP \"$1\"; sleep \"$2\"; kill -CONT \"$1\"", "pause",
					String.valueOf(ProcessHandle.current().pid()), String.valueOf(this.slowness.toMillis() / 1000.0))
				.start()
				.waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The fault 'pause' needs the commands sh, kill and sleep", ex);
		}
		catch (InterruptedException ex) {
			// The lock was lost during the pause. What follows is the late write.
			Thread.currentThread().interrupt();
		}
		this.records.faultEnd(Kind.PAUSE.option());
	}

	/**
	 * Return by how much the work of this holder takes longer.
	 * @return one and a half leases for one holder, if that was requested, else zero
	 */
	Duration slowness() {
		if (!this.armed.compareAndSet(Kind.SLOW, null)) {
			return Duration.ZERO;
		}
		this.records.fault(Kind.SLOW.option(), this.slowness);
		return this.slowness;
	}

	private static void sleep(Duration time) {
		try {
			Thread.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			// The lock was lost meanwhile. What follows is the late write.
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Read this node's wall clock, which may be wrong.
	 * @return milliseconds since 1970, three hours too many if that was requested
	 */
	long currentTimeMillis() {
		return System.currentTimeMillis() + ((this.armed.get() == Kind.CLOCK) ? CLOCK_ERROR.toMillis() : 0);
	}

	/**
	 * Request a fault for the next holder. A wrong clock is wrong from now on.
	 * @param kind which fault
	 */
	void arm(Kind kind) {
		replaceArmed(kind);
	}

	/**
	 * Take the requested fault back.
	 * @return whether it has struck; a wrong clock strikes as long as it is wrong
	 */
	boolean disarm() {
		Kind left = replaceArmed(null);
		// A slow or paused holder has taken it. A node that crashed cannot answer.
		return left == null || left == Kind.CLOCK;
	}

	private @Nullable Kind replaceArmed(@Nullable Kind kind) {
		Kind before = this.armed.getAndSet(kind);
		// A wrong clock strikes from here on; the other faults strike their holder.
		if (before != kind && before == Kind.CLOCK) {
			this.records.faultEnd(Kind.CLOCK.option());
		}
		if (before != kind && kind == Kind.CLOCK) {
			this.records.fault(Kind.CLOCK.option(), null);
		}
		return before;
	}

	/**
	 * The kinds of fault.
	 */
	enum Kind {

		/** The process ends while it holds the lock. */
		CRASH,

		/** The work takes longer than the lease. */
		SLOW,

		/** The process stands still for longer than the lease. */
		PAUSE,

		/** The node's clock is three hours ahead. */
		CLOCK;

		String option() {
			return name().toLowerCase(Locale.ROOT);
		}

		static Kind of(String name) {
			return valueOf(name.toUpperCase(Locale.ROOT));
		}

	}

}
