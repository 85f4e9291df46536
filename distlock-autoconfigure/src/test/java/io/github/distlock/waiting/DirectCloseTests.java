package io.github.distlock.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.DirectCommands;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.TestHandOff;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A registry that shuts down while a caller takes a lock directly. Its executor runs
 * nothing any more.
 */
class DirectCloseTests {

	private static final WaitRequest REQUEST = new WaitRequest("key", LockMode.EXCLUSIVE, false, Duration.ofSeconds(30),
			Duration.ofSeconds(30), (since) -> {
			});

	private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();

	private final Store store = new Store();

	private final LockAcquirer acquirer = new LockAcquirer(this.store, "me", Duration.ofSeconds(10), TestHandOff.NONE,
			EngineEnvironment.SYSTEM, (task) -> {
			}, Runnable::run, this.timers);

	private final Thread closing = new Thread(this.acquirer::close);

	@AfterEach
	void stop() {
		this.timers.shutdownNow();
	}

	@Test
	void aLockThatIsTakenWhileTheRegistryShutsDownIsReleasedByItsCaller() throws InterruptedException {
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.acquirer.acquire(REQUEST, true))
			.withMessageContaining("is shutting down");
		this.closing.join();
		assertThat(this.store.taken).hasSize(1);
		assertThat(this.store.released).isEqualTo(this.store.taken);
		assertThat(this.acquirer.snapshot()).isEmpty();
	}

	/** The registry is closed while this store grants the lock. */
	private final class Store extends IdleStore implements DirectCommands {

		private final List<Ticket> taken = new ArrayList<>();

		private final List<Ticket> released = new ArrayList<>();

		@Override
		public BackendDescription description() {
			return new BackendDescription("store", Set.of(LockMode.EXCLUSIVE), true, true, 1, Duration.ZERO, 100);
		}

		@Override
		public DirectCommands direct() {
			return this;
		}

		@Override
		public Grant attemptUnused(Ticket ticket, Duration lease) {
			this.taken.add(ticket);
			DirectCloseTests.this.closing.start();
			// It is closed, and waits for the lock of the queue.
			Awaitility.await().until(() -> DirectCloseTests.this.closing.getState() == Thread.State.WAITING);
			return new Grant(1, 1, Validity.until(TimeSource.SYSTEM.now(), lease));
		}

		@Override
		public boolean releaseUnshared(Ticket ticket, long lastToken) {
			return this.released.add(ticket);
		}

		@Override
		public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
			throw new IllegalStateException("not a direct command");
		}

		@Override
		public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
			throw new IllegalStateException("not a direct command");
		}

		@Override
		public void cancel(Ticket ticket) {
		}

		@Override
		public List<RenewalResult> renew(List<Renewal> renewals) {
			return List.of();
		}

	}

}
