package io.github.distlock.benchmarks.workers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.Locks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Cycles under locks that are known to exclude, or not to.
 */
class CyclerTests {

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
		long cycles = cycles(counter, () -> () -> {
		});
		assertThat(counter.get()).isLessThan(cycles);
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
		long start = System.nanoTime();
		SliceOrder order = new SliceOrder("any", 1, 1, Keys.NEW, Duration.ZERO, start,
				start + Duration.ofMillis(50).toNanos());
		new Cycler(order, new Named(keys), "mine", null, 10).call();
		assertThat(keys).isNotEmpty().doesNotHaveDuplicates().allSatisfy((key) -> assertThat(key).startsWith("mine-"));
	}

	@Test
	void aTrierLocksOnceInTenMilliseconds() throws Exception {
		List<String> keys = new ArrayList<>();
		long start = System.nanoTime();
		SliceOrder order = new SliceOrder("any", 1, 1, Keys.TRIED, Duration.ZERO, start,
				start + Duration.ofMillis(100).toNanos());
		Cycler trier = new Trier(order, new Named(keys), "mine", null, 10).call();
		assertThat(keys).hasSizeBetween(1, 10).hasSize((int) trier.cycles).containsOnly("mine");
	}

	private static long cycles(SharedCounter counter, Supplier<Held> lock) throws Exception {
		long start = System.nanoTime();
		SliceOrder order = SliceOrder.decode(new SliceOrder("any", 1, 4, Keys.ONE, Duration.ofMillis(1), start,
				start + Duration.ofMillis(200).toNanos())
			.encode());
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<Future<Cycler>> running = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				Cycler cycler = new Cycler(order, new Supplied(lock), "any", counter, 10);
				running.add(threads.submit((Callable<Cycler>) cycler));
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

	private record Supplied(Supplier<Held> source) implements Locks {

		@Override
		public Held lock(String key) {
			return this.source.get();
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) {
			return lock(key);
		}

	}

	/** Remembers what is locked. */
	private record Named(List<String> keys) implements Locks {

		@Override
		public Held lock(String key) {
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
