package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What the store answers.
 *
 * @param released whether the released ticket held the lock
 * @param granted what the one who asked holds, if it holds
 * @param remaining how long the lock is held by others if nobody renews it; for one who
 * waits, how long until the first of them may be found dead
 * @param queuedNow whether the one who asked waits since now
 * @param toTell who was granted the lock and does not know it yet
 */
record LocalAnswer(boolean released, @Nullable LocalGrant granted, Duration remaining, boolean queuedNow,
		List<LocalGrant> toTell) {

	static final LocalAnswer GONE = new LocalAnswer(false, null, Duration.ZERO, false, List.of());

	static LocalAnswer granted(boolean released, LocalGrant grant, List<LocalGrant> others) {
		return new LocalAnswer(released, grant, Duration.ZERO, false, others);
	}

}
