package io.github.distlock.backend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * An open store whose driver has no asynchronous commands: each verb blocks the calling
 * thread until its answer or its own short time-out, and throws if the outcome is not
 * known. An interrupt does not end it early. A driver that can send a release without
 * waiting for it overrides {@link #release}.
 */
public abstract class BlockingLockStore implements LockStore {

	@Override
	public final boolean blocks() {
		return true;
	}

	@Override
	public final CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		return CompletableFuture.completedFuture(attemptNow(ticket, lease, queue));
	}

	/**
	 * Attempt, and wait for the answer.
	 * @param ticket the ticket that takes the lock or waits
	 * @param lease the requested lease
	 * @param queue whether to queue the ticket if it is not granted the lock
	 * @return as {@link #attempt}
	 */
	protected abstract AttemptResult attemptNow(Ticket ticket, Duration lease, boolean queue);

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		return CompletableFuture.completedFuture(releaseNow(ticket, lastToken, next));
	}

	/**
	 * Release, and wait for the answer.
	 * @param ticket the holder
	 * @param lastToken the highest fencing token of the grant that was used
	 * @param next the ticket that waits next in this JVM, if there is one
	 * @return as {@link #release}
	 */
	protected abstract ReleaseResult releaseNow(Ticket ticket, long lastToken, @Nullable Successor next);

	@Override
	public final CompletionStage<?> cancel(Ticket ticket) {
		cancelNow(ticket);
		return CompletableFuture.completedFuture(true);
	}

	/**
	 * Cancel, and wait for the answer.
	 * @param ticket the ticket that no longer waits
	 */
	protected abstract void cancelNow(Ticket ticket);

	@Override
	public final CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		return CompletableFuture.completedFuture(renewNow(renewals));
	}

	/**
	 * Renew, and wait for the answer.
	 * @param renewals the leases
	 * @return the answers, in the same order
	 */
	protected abstract List<RenewalResult> renewNow(List<Renewal> renewals);

}
