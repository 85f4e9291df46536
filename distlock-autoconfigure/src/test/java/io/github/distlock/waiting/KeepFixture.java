package io.github.distlock.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Effects.Command;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one key whose callers want the lock to be kept, in a store that keeps
 * locks.
 */
abstract class KeepFixture extends KeyQueueFixture implements ReleaseObserver {

	static final Duration KEEP = Duration.ofMillis(5);

	static final long FIRST_TOKEN = 100;

	final BackgroundRelease.Limit unanswered = new BackgroundRelease.Limit(this.clock);

	final List<String> reports = new ArrayList<>();

	Waiter keeper() {
		return keeper(LEASE, LEASE);
	}

	Waiter keeper(Duration wait, Duration lease) {
		return keeper(wait, lease, KEEP);
	}

	Waiter keeper(Duration wait, Duration lease, Duration keep) {
		return new Waiter(new WaitRequest("key", LockMode.EXCLUSIVE, false, lease, wait, keep.toNanos(),
				Integer.MAX_VALUE, (since) -> {
				}), this.clock.nanoTime()) {

			@Override
			void wake() {
			}

		};
	}

	AttemptResult marked(int tokens) {
		return new AttemptResult.Granted(
				new Grant(FIRST_TOKEN, FIRST_TOKEN + tokens - 1, Validity.until(this.clock.now(), LEASE)), true);
	}

	/** Let a caller enter under a grant that may be kept. */
	Holder enter(int tokens) {
		return enter(tokens, keeper());
	}

	Holder enter(int tokens, Waiter waiter) {
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), marked(tokens));
		return holder(waiter);
	}

	/** Let a caller enter and leave. */
	Holder keepAfter(int tokens) {
		Holder holder = enter(tokens);
		assertKept(holder);
		return holder;
	}

	void assertKept(Holder holder) {
		Effects effects = keep(holder);
		if (effects == null || effects.command() != null || this.queue.snapshot().kept() == null) {
			throw new AssertionError("The lock is not kept: " + effects);
		}
	}

	@Nullable Effects keep(Holder holder) {
		return keep(holder, Validity.until(this.clock.now(), LEASE));
	}

	@Nullable Effects keep(Holder holder, Validity validity) {
		return this.queue.keep(holder, validity, this.unanswered.prepare(this, validity));
	}

	/** The release that a lock is given back with. */
	Command.Release givesBack(@Nullable Effects effects) {
		Command.Release release = release(Objects.requireNonNull(effects, "no effects"));
		if (this.queue.snapshot().kept() != null) {
			throw new AssertionError("Released and kept");
		}
		return release;
	}

	Ticket ticketOfOther() {
		return new Ticket("key", LockMode.EXCLUSIVE, "other", 7, false);
	}

	@Override
	public void gone() {
		this.reports.add("gone");
	}

	@Override
	public void unanswered() {
		this.reports.add("unanswered");
	}

}
