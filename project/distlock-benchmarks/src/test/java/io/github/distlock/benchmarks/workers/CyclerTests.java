package io.github.distlock.benchmarks.workers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.Locks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Cycles under locks that are known to exclude, or not to. Each thread ends after some
 * locks, and not with its time.
 */
class CyclerTests {

	private static final int CYCLES = 50;

	private final ReentrantLock mutex = new ReentrantLock();

	@Test
	void noIncrementIsLostUnderALockThatExcludes(@TempDir Path folder) throws Exception {
		SharedCounter counter = new SharedCounter(folder.resolve("counter.bin"));
		long cycles = cycles(counter, () -> {
			this.mutex.lock();
			return this.mutex::unlock;
		});
		assertThat(cycles).isPositive();
		assertThat(counter.get()).isEqualTo(cycles);
	}

	@Test
	void incrementsAreLostWhereNobodyExcludes(@TempDir Path folder) throws Exception {
		SharedCounter counter = new SharedCounter(folder.resolve("counter.bin"));
		CyclicBarrier all = new CyclicBarrier(4);
		long cycles = cycles(counter, () -> {
			meet(all);
			return () -> {
			};
		});
		assertThat(counter.get()).isLessThan(cycles);
	}

	private static void meet(CyclicBarrier all) throws InterruptedException {
		try {
			all.await();
		}
		catch (BrokenBarrierException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void anotherMappingOfTheFileIsTheSameNumber(@TempDir Path folder) {
		SharedCounter one = new SharedCounter(folder.resolve("counter.bin"));
		SharedCounter two = new SharedCounter(folder.resolve("counter.bin"));
		one.set(42);
		assertThat(two.get()).isEqualTo(42);
	}

	@Test
	void withNewKeysNoKeyIsLockedTwice() throws Exception {
		List<String> keys = new ArrayList<>();
		run(new Cycler(order(Keys.NEW, 1), new Named(keys), "mine", null, 10));
		assertThat(keys).hasSize(CYCLES)
			.doesNotHaveDuplicates()
			.allSatisfy((key) -> assertThat(key).startsWith("mine-"));
	}

	@Test
	void aTrierLocksOnceInTenMilliseconds() throws Exception {
		List<String> keys = new ArrayList<>();
		long start = System.nanoTime();
		Cycler trier = new Trier(order(Keys.TRIED, 1), new Named(keys), "mine", null, 10);
		run(trier);
		assertThat(keys).hasSize(CYCLES).hasSize((int) trier.cycles).containsOnly("mine");
		assertThat(System.nanoTime() - start).isGreaterThan(Duration.ofMillis(10).multipliedBy(CYCLES - 1).toNanos());
	}

	private static SliceOrder order(Keys keys, int threads) {
		long start = System.nanoTime();
		return SliceOrder.decode(new SliceOrder("any", 1, threads, keys, Duration.ofMillis(1), start,
				start + Duration.ofHours(1).toNanos())
			.encode());
	}

	/** Run until the locks end. */
	private static Cycler run(Cycler cycler) throws Exception {
		try {
			return cycler.call();
		}
		catch (NoSuchElementException ex) {
			return cycler;
		}
	}

	private static long cycles(SharedCounter counter, Source lock) throws Exception {
		SliceOrder order = order(Keys.ONE, 4);
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<Future<Cycler>> running = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				Cycler cycler = new Cycler(order, new Supplied(lock, new AtomicInteger()), "any", counter, 10);
				running.add(threads.submit(() -> run(cycler)));
			}
			long cycles = 0;
			for (Future<Cycler> thread : running) {
				cycles += thread.get().cycles;
			}
			return cycles;
		}
		finally {
			threads.shutdownNow();
		}
	}

	private interface Source {

		Held lock() throws InterruptedException;

	}

	private record Supplied(Source source, AtomicInteger locked) implements Locks {

		@Override
		public Held lock(String key) throws InterruptedException {
			if (this.locked.getAndIncrement() == CYCLES) {
				throw new NoSuchElementException();
			}
			return this.source.lock();
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
			return lock(key);
		}

	}

	/** Remembers what is locked. */
	private record Named(List<String> keys) implements Locks {

		@Override
		public Held lock(String key) {
			if (this.keys.size() == CYCLES) {
				throw new NoSuchElementException();
			}
			this.keys.add(key);
			return () -> {
			};
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) {
			return lock(key);
		}

	}

}
