package io.github.distlock.benchmarks.local;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.distlock.DistlockApplication;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.integration.support.locks.DefaultLockRegistry;

/**
 * Cycles of one thread on one key, in registries that keep locks in the memory of this
 * JVM.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LocalCost {

	private static final String KEY = "stock-a-1";

	private final DefaultLockRegistry peer = new DefaultLockRegistry();

	private final ReentrantLock plain = new ReentrantLock();

	private long sold;

	/**
	 * Acquire and release a lock of distlock.
	 * @param application the application
	 * @return a count
	 */
	@Benchmark
	public long distlock(Application application) {
		try (HeldLock held = application.registry().acquire(LockRequest.of(KEY))) {
			return this.sold++;
		}
	}

	/**
	 * Acquire and release through a {@link Lock} of distlock.
	 * @param application the application
	 * @return a count
	 */
	@Benchmark
	public long distlockView(Application application) {
		return cycle(application.registry().obtain(KEY));
	}

	/**
	 * Acquire and release through a {@link Lock} of Spring Integration.
	 * @return a count
	 */
	@Benchmark
	public long springIntegration() {
		return cycle(this.peer.obtain(KEY));
	}

	/**
	 * Acquire and release a lock without a registry.
	 * @return a count
	 */
	@Benchmark
	public long reentrantLock() {
		return cycle(this.plain);
	}

	private long cycle(Lock lock) {
		lock.lock();
		try {
			return this.sold++;
		}
		finally {
			lock.unlock();
		}
	}

	/** An application whose store is local, for the benchmarks that need it. */
	@State(Scope.Thread)
	public static class Application {

		private final Client client = new Client(StoreAddress.of(Kind.NONE));

		private @Nullable LockRegistry registry;

		/** Start the application. */
		@Setup
		public void start() {
			this.registry = DistlockApplication.of(this.client).registry();
		}

		/**
		 * End the application.
		 * @throws Exception never
		 */
		@TearDown
		public void stop() throws Exception {
			this.client.close();
		}

		LockRegistry registry() {
			return Objects.requireNonNull(this.registry);
		}

	}

}
