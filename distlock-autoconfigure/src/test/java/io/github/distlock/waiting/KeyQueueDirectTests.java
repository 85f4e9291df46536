package io.github.distlock.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.HandOff;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.DirectCommands;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The queue of one key with a store that takes and releases uncontended locks inside an
 * event.
 */
class KeyQueueDirectTests extends KeyQueueFixture {

	private static final WaitRequest REQUEST = new WaitRequest("key", LockMode.EXCLUSIVE, false, LEASE, LEASE,
			(since) -> {
			});

	private final Store store = new Store();

	private boolean failsBeforeEffects;

	@Test
	void anUncontendedCycleNeedsNoCommandAndLeavesNoQueue() {
		Holder holder = enter();
		assertThat(holder.ticket()).isEqualTo(this.store.taken.get(0));
		assertThat(holder.handOff()).isEqualTo(HandOff.NONE);
		assertThat(holder.lease()).isEqualTo(LEASE);
		assertThat(this.removed).isFalse();
		Effects effects = this.queue.leaveDirectly(holder, this.store);
		assertThat(effects).isSameAs(Effects.NONE);
		assertThat(this.store.released).containsExactly(holder.ticket());
		assertThat(this.removed).isTrue();
		assertThat(this.queue.enterDirectly(REQUEST, this.store)).as("after the queue was removed").isNull();
	}

	@Test
	void aCallerJoinsIfAnotherOneHoldsTheLockOrWaits() {
		Holder holder = enter();
		assertThat(this.queue.enterDirectly(REQUEST, this.store)).isNull();
		this.queue.join(waiter(LEASE));
		this.queue.release(holder, deadline());
		assertThat(this.queue.enterDirectly(REQUEST, this.store)).isNull();
		assertThat(this.store.taken).hasSize(1);
	}

	@Test
	void noQueueIsLeftIfAnotherTicketMayHoldTheLock() {
		this.store.contended = true;
		assertThat(this.queue.enterDirectly(REQUEST, this.store)).isNull();
		assertThat(this.removed).isTrue();
	}

	@Test
	void theLockGoesBackByACommandIfAnotherTicketMayNeedIt() {
		Holder holder = enter();
		this.store.contended = true;
		assertThat(this.queue.leaveDirectly(holder, this.store)).isNull();
		Command.Release release = release(this.queue.release(holder, deadline()));
		assertThat(release.pending().ticket).isEqualTo(holder.ticket());
		this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
	}

	@Test
	void theLockGoesBackByACommandIfACallerWaits() {
		Holder holder = enter();
		Waiter next = waiter(LEASE);
		this.queue.join(next);
		assertThat(this.queue.leaveDirectly(holder, this.store)).isNull();
		Command.Release release = release(this.queue.release(holder, deadline()));
		assertThat(release.next()).isNotNull();
		this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, granted()));
		assertThat(holder(next).handOff()).isEqualTo(HandOff.REMOTE);
	}

	@Test
	void theLockGoesBackByACommandIfACopyOfAnAttemptMayBeOnItsWay() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		this.queue.granted(attempt.ticket(), grant(LEASE));
		this.queue.attemptFailed(attempt, FAILURE);
		assertThat(this.queue.leaveDirectly(holder(waiter), this.store)).isNull();
		assertThat(this.store.released).isEmpty();
	}

	@Test
	void theNextEventCancelsATicketWhoseCommandFailed() {
		this.store.failure = new InternalError("injected");
		assertThatExceptionOfType(InternalError.class).isThrownBy(this::enter);
		Command.Release cancel = release(this.queue.proceed());
		assertThat(cancel.pending().ticket).isEqualTo(this.store.taken.get(0));
		assertThat(cancel.pending().releasesLock).isFalse();
		assertThat(this.queue.releaseAnswered(cancel.pending(), null).stray()).isEqualTo(cancel.pending().ticket);
		assertThat(this.removed).isTrue();
	}

	@Test
	void theNextCallerAttemptsWithATicketWhoseCommandFailed() {
		this.store.failure = new InternalError("injected");
		assertThatExceptionOfType(InternalError.class).isThrownBy(this::enter);
		Waiter next = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(next));
		assertThat(attempt.ticket()).isEqualTo(this.store.taken.get(0));
		this.queue.attemptAnswered(attempt, granted());
		assertThat(holder(next).ticket()).isEqualTo(attempt.ticket());
	}

	@Test
	void aHolderWhoseCommandFailedIsStillThere() {
		Holder holder = enter();
		this.store.failure = new InternalError("injected");
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> this.queue.leaveDirectly(holder, this.store));
		assertThat(this.removed).isFalse();
		assertThat(this.queue.release(holder, deadline()).command()).isInstanceOf(Command.Release.class);
	}

	@Test
	void aCallerJoinsIfAnErrorHasLeftAWaiterThatIsNotWokenYet() {
		Waiter waiter = waiter(Duration.ZERO);
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		this.failsBeforeEffects = true;
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> this.queue.attemptAnswered(attempt, new AttemptResult.Busy(Duration.ofSeconds(1), null)));
		assertThat(waiter.outcome()).isInstanceOf(Outcome.TimedOut.class);
		this.store.contended = true;
		assertThat(this.queue.enterDirectly(REQUEST, this.store)).isNull();
		assertThat(this.removed).isFalse();
		Effects effects = this.queue.join(waiter(LEASE));
		assertThat(effects).isNotNull();
		assertThat(effects.woken()).containsExactly(waiter);
	}

	/** Called in the event that decides a caller which tries once. */
	@Override
	public void leftQueue() {
		if (this.failsBeforeEffects) {
			throw new InternalError("injected");
		}
		super.leftQueue();
	}

	private Holder enter() {
		Holder holder = this.queue.enterDirectly(REQUEST, this.store);
		assertThat(holder).isNotNull();
		return holder;
	}

	/** Records the commands, and executes them before they fail. */
	private final class Store implements DirectCommands {

		private final List<Ticket> taken = new ArrayList<>();

		private final List<Ticket> released = new ArrayList<>();

		private boolean contended;

		private @Nullable Error failure;

		@Override
		public @Nullable Grant attemptUnused(Ticket ticket, Duration lease) {
			if (this.contended) {
				return null;
			}
			this.taken.add(ticket);
			failIfDue();
			return grant(lease);
		}

		@Override
		public boolean releaseUnshared(Ticket ticket, long lastToken) {
			if (this.contended) {
				return false;
			}
			this.released.add(ticket);
			failIfDue();
			return true;
		}

		private void failIfDue() {
			if (this.failure != null) {
				throw this.failure;
			}
		}

	}

}
