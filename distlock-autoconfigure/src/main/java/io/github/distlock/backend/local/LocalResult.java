package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.local.LocalLock.LocalGrant;
import org.jspecify.annotations.Nullable;

/**
 * The result of a command.
 *
 * @param released whether the released ticket held the lock
 * @param granted the grant of the ticket that asked, if it holds the lock
 * @param remaining the time until the lock is free if no lease is renewed; for a waiting
 * ticket, the time until the first lease ends
 * @param queuedNow whether this command has queued the ticket that asked
 * @param holder what holds the lock, if the ticket that asked does not; of several
 * readers one
 * @param toNotify the grants of other tickets, which are to be notified
 */
record LocalResult(boolean released, @Nullable LocalGrant granted, Duration remaining, boolean queuedNow,
		@Nullable StoredHolder holder, List<LocalGrant> toNotify) {

	static final LocalResult GONE = new LocalResult(false, null, Duration.ZERO, false, null, List.of());

	static LocalResult granted(LocalGrant grant, List<LocalGrant> others) {
		return new LocalResult(true, grant, Duration.ZERO, false, null, others);
	}

}
