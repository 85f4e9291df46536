package io.github.distlock.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TestHandOff;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queue of one key with a manual clock. Tests report the events and look at the
 * effects.
 */
abstract class KeyQueueFixture implements KeyQueueContext {

	static final Duration LEASE = Duration.ofSeconds(10);

	static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(2);

	static final LockBackendException FAILURE = new LockBackendException("no answer");

	final ManualClock clock = new ManualClock();

	final KeyQueue queue = new KeyQueue("key", new ReentrantLock(), this);

	long tickets;

	boolean removed;

	HandOffLimits limits = TestHandOff.NONE;

	boolean retriesForKey = true;

	boolean leftQueue;

	boolean timersFail;

	@Nullable LockBackendException failureOfOthers;

	int requeuedAtEndCalls;

	final WaiterCounts waiterCounts = new WaiterCounts();

	final List<Long> timerDelays = new ArrayList<>();

	long deadline() {
		return this.clock.nanoTime() + LEASE.toNanos();
	}

	static Holder holder(Waiter waiter) {
		assertThat(waiter.outcome()).isInstanceOf(Outcome.Success.class);
		return ((Outcome.Success) waiter.outcome()).holder();
	}

	static Command.Attempt attempt(Effects effects) {
		assertThat(effects.command()).isInstanceOf(Command.Attempt.class);
		return (Command.Attempt) effects.command();
	}

	static Command.Release release(Effects effects) {
		assertThat(effects.command()).isInstanceOf(Command.Release.class);
		return (Command.Release) effects.command();
	}

	Waiter waiter(Duration wait) {
		return waiter(wait, LEASE);
	}

	Waiter waiter(Duration wait, Duration lease) {
		return waiter(wait, lease, Integer.MAX_VALUE);
	}

	Waiter waiter(Duration wait, Duration lease, int maxWaiting) {
		return new Waiter(new WaitRequest("key", LockMode.EXCLUSIVE, false, lease, wait, 0, maxWaiting, (since) -> {
		}), this.clock.nanoTime()) {

			@Override
			void wake() {
			}

		};
	}

	AttemptResult granted() {
		return new AttemptResult.Granted(grant(LEASE));
	}

	static AttemptResult waiting() {
		return new AttemptResult.Queued(Duration.ofSeconds(2), true);
	}

	Grant grant(Duration ttl) {
		return new Grant(1, 1, Validity.until(this.clock.now(), ttl));
	}

	@Override
	public KeySettings settings() {
		return new KeySettings(this.clock, EngineEnvironment.SYSTEM.random(), this.limits, Duration.ofSeconds(3),
				ANSWER_TIMEOUT, this.waiterCounts);
	}

	@Override
	public boolean retriesForKey() {
		return this.retriesForKey;
	}

	@Override
	public void requeuedAtEnd() {
		this.requeuedAtEndCalls++;
	}

	@Override
	public void storeFailed(LockBackendException cause, boolean tooLong) {
		this.failureOfOthers = cause;
	}

	@Override
	public void storeAnswered() {
		this.failureOfOthers = null;
	}

	@Override
	public @Nullable LockBackendException storeFailure() {
		return this.failureOfOthers;
	}

	@Override
	public void leftQueue() {
		this.leftQueue = true;
	}

	@Override
	public Ticket newTicket(String key, LockMode mode) {
		return new Ticket(key, mode, "me", ++this.tickets, false);
	}

	@Override
	public void remove(String key) {
		this.removed = true;
	}

	@Override
	public boolean scheduleTimer(KeyQueue queue, long delayNanos) {
		this.timerDelays.add(delayNanos);
		return !this.timersFail;
	}

}
