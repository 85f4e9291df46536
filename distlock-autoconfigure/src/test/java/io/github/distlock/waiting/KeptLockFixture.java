package io.github.distlock.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.distlock.LockMode;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.environment.EngineEnvironment;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs that share a key of a store that keeps locks, with real threads and timers.
 */
abstract class KeptLockFixture {

	static final Duration LEASE = Duration.ofSeconds(5);

	/** Longer than a test, so that only a request ends the keeping, or the turn. */
	static final Duration LONG = Duration.ofMinutes(10);

	final ExecutorService threads = Executors.newCachedThreadPool();

	final ErrorInjector errors = new ErrorInjector();

	final ErrorInjector noErrors = new ErrorInjector();

	final StoppableClock clock = new StoppableClock();

	final List<LockStore> stores = new ArrayList<>();

	final List<String> reports = Collections.synchronizedList(new ArrayList<>());

	KeepingBackend backend;

	LockAcquirer keeper;

	LockAcquirer other;

	@BeforeEach
	void setUp() {
		this.backend = new KeepingBackend(
				this.errors.before(new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 101, TimeSource.SYSTEM)),
				this.threads);
		this.keeper = acquirer("keeper", this.errors, this.clock);
		this.other = acquirer("other", this.noErrors, TimeSource.SYSTEM);
	}

	LockAcquirer acquirer(String instance, ErrorInjector injector, TimeSource time) {
		return acquirer(instance, injector, time, Duration.ofSeconds(20));
	}

	LockAcquirer acquirer(String instance, ErrorInjector injector, TimeSource time, Duration timeout) {
		AcquirerSignals signals = new AcquirerSignals();
		LockStore opened = this.backend.open(new StoreContext(instance, signals));
		LockAcquirer created = new LockAcquirer(opened, instance, timeout, new HandOffLimits(100, Duration.ofMillis(5)),
				EngineEnvironment.of(time), injector.commands(), injector.callbacks(), injector.timers());
		signals.acquirer = created;
		this.stores.add(opened);
		return created;
	}

	@AfterEach
	void tearDown() {
		this.errors.clear();
		this.backend.answer();
		this.keeper.close();
		this.other.close();
		this.threads.shutdownNow();
		this.stores.forEach(LockStore::close);
		this.errors.close();
		this.noErrors.close();
	}

	/** Keep one key after the other until they are asked for. */
	final void keepAsManyAsAllowed() throws Exception {
		this.clock.stop();
		for (int key = 0; key < BackgroundRelease.Limit.MAX_KEPT; key++) {
			assertThat(use(this.keeper, "key-" + key)).isEqualTo(ReleaseOutcome.KEPT);
		}
	}

	/** Use a key once. */
	final ReleaseOutcome use(LockAcquirer acquirer, String key) throws Exception {
		return keepOrRelease(acquirer, acquire(acquirer, key, LONG));
	}

	/** Keep a lock until it is asked for. */
	final Holder keepLong() throws Exception {
		this.clock.stop();
		Holder holder = acquire(this.keeper, LONG);
		assertThat(keepOrRelease(this.keeper, holder)).isEqualTo(ReleaseOutcome.KEPT);
		assertThat(this.keeper.snapshot()).anyMatch((key) -> key.kept() != null);
		return holder;
	}

	static WaitRequest request(Duration wait, Duration keep) {
		return request("key", wait, keep);
	}

	static WaitRequest request(String key, Duration wait, Duration keep) {
		return new WaitRequest(key, LockMode.EXCLUSIVE, false, LEASE, wait, keep.toNanos(), Integer.MAX_VALUE,
				(since) -> {
				});
	}

	static Holder acquire(LockAcquirer acquirer, Duration keep) throws Exception {
		return acquire(acquirer, "key", keep);
	}

	static Holder acquire(LockAcquirer acquirer, String key, Duration keep) throws Exception {
		return Objects.requireNonNull(acquirer.acquire(request(key, Duration.ofSeconds(20), keep), true),
				"not acquired");
	}

	static @Nullable Holder tryOnce(LockAcquirer acquirer) throws InterruptedException {
		return acquirer.acquire(request(Duration.ZERO, Duration.ZERO), true);
	}

	final void leave(LockAcquirer acquirer, Holder holder) {
		keepOrRelease(acquirer, holder);
	}

	final ReleaseOutcome keepOrRelease(LockAcquirer acquirer, Holder holder) {
		return acquirer.releases()
			.release(holder, Validity.until(TimeSource.SYSTEM.now(), LEASE), LEASE, holder.keepNanos() > 0, false,
					new Observer());
	}

	final void awaitUnused() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.keeper.snapshot().isEmpty() && this.other.snapshot().isEmpty());
		assertThat(this.keeper.releases().isAnyUnanswered()).isFalse();
	}

	private final class Observer implements ReleaseObserver {

		@Override
		public void gone() {
			KeptLockFixture.this.reports.add("gone");
		}

		@Override
		public void unanswered() {
			KeptLockFixture.this.reports.add("unanswered");
		}

	}

}
