package io.github.distlock.registry;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.waiting.HandOffLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A held lock with reading and writing levels.
 */
class ReadWriteTests {

	private static final LockRequest REQUEST = LockRequest.of("order-1").waitTime(Duration.ofSeconds(20));

	private static final LockRequest READ = REQUEST.mode(LockMode.READ);

	private static final LockRequest WRITE = REQUEST.mode(LockMode.WRITE);

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	private final RecordedEvents events = new RecordedEvents();

	private final List<BackendLockRegistry> registries = new ArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final BackendLockRegistry one = node(this.store);

	private final BackendLockRegistry two = node(this.store);

	private LockBackend backend(LocalStore store) {
		return new LocalLockBackend(store, 17, TimeSource.SYSTEM);
	}

	private BackendLockRegistry node(LocalStore store) {
		return node(backend(store));
	}

	private BackendLockRegistry node(LockBackend backend) {
		BackendLockRegistry node = new BackendLockRegistry(backend,
				new RegistrySettings(Duration.ofSeconds(20), Duration.ofSeconds(30), null,
						new HandOffLimits(16, Duration.ofMillis(50)), Duration.ofSeconds(10), false,
						Duration.ofSeconds(1)),
				List.of(this.events), TimeSource.SYSTEM);
		node.start();
		this.registries.add(node);
		return node;
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.registries.forEach(BackendLockRegistry::shutdown);
	}

	private boolean twoFinds(LockMode mode) {
		return this.two.tryAcquire(REQUEST.mode(mode).waitTime(Duration.ZERO)).map((lock) -> {
			lock.close();
			return lock;
		}).isPresent();
	}

	@Test
	void aLockViewInsideAWriterExcludesReadersUntilItIsUnlocked() {
		HeldLock writer = this.one.acquire(WRITE);
		Lock view = this.one.obtain("order-1");
		view.lock();
		HeldLock reader = this.one.acquire(READ);
		writer.close();
		assertThat(twoFinds(LockMode.READ)).isFalse();
		view.unlock();
		assertThat(twoFinds(LockMode.READ)).isTrue();
		assertThat(twoFinds(LockMode.WRITE)).isFalse();
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(view::lock);
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(view::tryLock);
		reader.close();
		assertThat(twoFinds(LockMode.WRITE)).isTrue();
	}

	@Test
	void anExclusiveLockStaysExclusiveUntilAllItsLevelsAreClosed() {
		HeldLock outer = this.one.acquire(REQUEST);
		HeldLock writer = this.one.acquire(WRITE);
		HeldLock reader = this.one.acquire(READ);
		outer.close();
		writer.close();
		assertThat(reader.isHeld()).isTrue();
		assertThat(twoFinds(LockMode.READ)).isFalse();
		reader.close();
		assertThat(twoFinds(LockMode.READ)).isTrue();
	}

	@Test
	void aDowngradedHoldIsReportedOnceAndReleasedOnce() {
		HeldLock writer = this.one.acquire(WRITE);
		HeldLock inner = this.one.acquire(WRITE);
		HeldLock reader = this.one.acquire(READ);
		inner.close();
		assertThat(this.events.released).isEmpty();
		writer.close();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(writer::close);
		assertThat(this.events.released).isEmpty();
		assertThat(reader.isHeld()).isTrue();
		reader.close();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(reader::close);
		assertThat(this.events.released).containsExactly("order-1");
		assertThat(this.events.outcomes()).containsExactly("ACQUIRED");
		assertThat(this.events.lost).isEmpty();
		assertThat(this.one.snapshot().isIdle()).isTrue();
		assertThat(this.one.snapshot().heldByThisThread()).isZero();
	}

	@Test
	void levelsMayBeClosedByAnyThreadAtAnyMoment() throws Exception {
		for (int round = 0; round < 200; round++) {
			List<HeldLock> levels = List.of(this.one.acquire(WRITE), this.one.acquire(READ), this.one.acquire(WRITE),
					this.one.acquire(READ));
			CountDownLatch start = new CountDownLatch(1);
			List<Future<?>> closers = new ArrayList<>();
			for (HeldLock level : levels) {
				closers.add(this.threads.submit(() -> {
					start.await();
					level.close();
					return true;
				}));
			}
			start.countDown();
			for (Future<?> closer : closers) {
				closer.get(10, TimeUnit.SECONDS);
			}
			assertThat(this.one.snapshot().isIdle()).isTrue();
		}
		assertThat(this.events.lost).isEmpty();
		assertThat(this.events.released).hasSize(200);
	}

	@Test
	void theLockIsHeldDuringTheDowngrade() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		BackendLockRegistry slow = node(pausingAtRelease(backend(this.store), asked, answer));
		HeldLock reader = this.threads.submit(() -> {
			HeldLock writer = slow.acquire(WRITE);
			HeldLock reading = slow.acquire(READ);
			this.threads.submit(writer::close);
			return reading;
		}).get(10, TimeUnit.SECONDS);
		assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(reader.isHeld()).isTrue();
		assertThat(reader.remaining()).isPositive();
		// Leaves before the outcome of the downgrade is known: the thread that performs
		// the downgrade ends the hold.
		reader.close();
		answer.countDown();
		await().until(() -> slow.snapshot().isIdle());
		assertThat(this.events.released).containsExactly("order-1");
		assertThat(twoFinds(LockMode.WRITE)).isTrue();
	}

	private static LockBackend pausingAtRelease(LockBackend real, CountDownLatch asked, CountDownLatch answer) {
		return proxy(LockBackend.class, (method, arguments) -> {
			Object result = method.invoke(real, arguments);
			return (result instanceof LockStore store) ? pausingAtRelease(store, asked, answer) : result;
		});
	}

	private static LockStore pausingAtRelease(LockStore real, CountDownLatch asked, CountDownLatch answer) {
		return proxy(LockStore.class, (method, arguments) -> {
			if (method.getName().equals("release")) {
				asked.countDown();
				answer.await();
			}
			return method.invoke(real, arguments);
		});
	}

	private static <T> T proxy(Class<T> type, Call call) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return call.invoke(method, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			}));
	}

	/** What a proxy does in place of a method. */
	private interface Call {

		Object invoke(Method method, Object[] arguments) throws Exception;

	}

	@Test
	void aCompositePassesModesOnAndDowngradesBothParts() {
		LocalStore other = new LocalStore(TimeSource.SYSTEM);
		BackendLockRegistry second = node(other);
		BackendLockRegistry rival = node(other);
		CompositeLockRegistry both = new CompositeLockRegistry(this.one, second, Duration.ofSeconds(20),
				TimeSource.SYSTEM);
		HeldLock writer = both.acquire(WRITE);
		HeldLock reader = both.acquire(READ);
		writer.close();
		assertThat(reader.isHeld()).isTrue();
		for (BackendLockRegistry half : List.of(this.two, rival)) {
			half.acquire(READ.waitTime(Duration.ZERO)).close();
			assertThat(half.tryAcquire(WRITE.waitTime(Duration.ZERO))).isEmpty();
		}
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> both.acquire(WRITE));
		assertThat(reader.isHeld()).isTrue();
		reader.close();
		for (BackendLockRegistry half : List.of(this.two, rival)) {
			half.acquire(WRITE.waitTime(Duration.ZERO)).close();
		}
	}

}
