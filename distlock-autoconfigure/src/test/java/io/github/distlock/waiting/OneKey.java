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
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TestHandOff;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One key, told events by hand, with a manual clock.
 */
abstract class OneKey implements KeyQueueContext {

	static final Duration LEASE = Duration.ofSeconds(10);

	static final LockBackendException FAILURE = new LockBackendException("no answer");

	final ManualClock clock = new ManualClock();

	final LockedKeyQueue entry = new LockedKeyQueue("key", new ReentrantLock(), this);

	long tickets;

	boolean removed;

	HandOffLimits limits = TestHandOff.NONE;

	boolean lookout = true;

	boolean admitted;

	@Nullable LockBackendException failureOfOthers;

	int lostPlaces;

	final List<Long> alarms = new ArrayList<>();

	long deadline() {
		return this.clock.nanoTime() + LEASE.toNanos();
	}

	static Holder admission(Waiter waiter) {
		assertThat(waiter.outcome()).isInstanceOf(Outcome.Admitted.class);
		return ((Outcome.Admitted) waiter.outcome()).admission();
	}

	static Command.Attempt attempt(Effects steps) {
		assertThat(steps.command()).isInstanceOf(Command.Attempt.class);
		return (Command.Attempt) steps.command();
	}

	static Command.Leave leave(Effects steps) {
		assertThat(steps.command()).isInstanceOf(Command.Leave.class);
		return (Command.Leave) steps.command();
	}

	Waiter waiter(Duration wait) {
		return waiter(wait, LEASE);
	}

	Waiter waiter(Duration wait, Duration lease) {
		return new Waiter(new WaitRequest("key", LockMode.EXCLUSIVE, false, lease, wait, () -> {
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
		return new AttemptResult.Waiting(Duration.ofSeconds(2), true);
	}

	Grant grant(Duration ttl) {
		return new Grant(1, 1, Validity.until(this.clock.now(), ttl));
	}

	@Override
	public TimeSource clock() {
		return this.clock;
	}

	@Override
	public HandOffLimits handOff() {
		return this.limits;
	}

	@Override
	public boolean isLookout() {
		return this.lookout;
	}

	@Override
	public void lostPlace() {
		this.lostPlaces++;
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
	public void waitsNoMore() {
		this.admitted = true;
	}

	@Override
	public Duration patience() {
		return Duration.ofSeconds(3);
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
	public @Nullable LockBackendException ringLater(CommandTarget rung, long delayNanos) {
		this.alarms.add(delayNanos);
		return null;
	}

}
