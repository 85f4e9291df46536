package io.github.distlock.engine;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;

/**
 * Warnings about held locks, which may concern all of them at the same moment. Of one
 * kind in ten seconds the first 20 are written, and then one line counts the others.
 * Thread-safe.
 */
final class LockWarnings {

	private static final Log logger = LockLog.of(LockWarnings.class);

	/** One each second. */
	private static final int SWEEPS_OF_A_PERIOD = 10;

	private static final int MOST = 20;

	/**
	 * How many of each kind there were in this period. Negative after {@link #end}: then
	 * no sweep ends a period any more, and all are written.
	 */
	private final AtomicIntegerArray counts = new AtomicIntegerArray(WarningKind.values().length);

	/** Used by the sweeps only. */
	private int sweeps;

	void warn(WarningKind kind, Supplier<String> line) {
		int number = this.counts.incrementAndGet(kind.ordinal());
		if (number <= MOST) {
			logger.warn(line.get());
		}
	}

	/** Begin a new period if this one is over. */
	void sweep() {
		if (++this.sweeps % SWEEPS_OF_A_PERIOD == 0) {
			endAll(0);
		}
	}

	/** No sweep will come any more. */
	void end() {
		endAll(Integer.MIN_VALUE);
	}

	private void endAll(int next) {
		for (WarningKind kind : WarningKind.values()) {
			int number = this.counts.getAndUpdate(kind.ordinal(), (count) -> Math.min(count, next));
			if (number > MOST) {
				logger.warn("And " + (number - MOST) + " more " + kind.subject + ": the log names at most " + MOST
						+ " in 10 s, events and meters have all");
			}
		}
	}

	enum WarningKind {

		RISK("locks are at risk"),

		LOSS("locks were lost"),

		UNANSWERED("releases have not been acknowledged"),

		LEAK("locks are renewed although their threads have ended");

		/** What has happened, to count it. */
		private final String subject;

		WarningKind(String subject) {
			this.subject = subject;
		}

	}

}
