package io.github.distlock.testing;

import io.github.distlock.thread.LockLog;

/**
 * The log of the library, which another thread writes.
 */
public final class FlushedLog {

	private FlushedLog() {
	}

	/** Return the captured output when it has the lines so far. */
	public static <T> T flushed(T output) {
		LockLog.flush();
		return output;
	}

}
