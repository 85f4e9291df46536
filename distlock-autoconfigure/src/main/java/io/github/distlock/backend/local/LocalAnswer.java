package io.github.distlock.backend.local;

import org.jspecify.annotations.Nullable;

/**
 * What the store answers.
 *
 * @param released whether the released ticket held the lock
 * @param current who holds the lock now
 * @param granted whether that is the one who asked
 * @param queuedNow whether the one who asked waits since now
 * @param toTell who was granted the lock and does not know it yet
 */
record LocalAnswer(boolean released, @Nullable LocalGrant current, boolean granted, boolean queuedNow,
		@Nullable LocalGrant toTell) {

	static final LocalAnswer GONE = new LocalAnswer(false, null, false, false, null);

	LocalAnswer queued(boolean queuedNow) {
		return new LocalAnswer(this.released, this.current, this.granted, queuedNow, this.toTell);
	}

}
