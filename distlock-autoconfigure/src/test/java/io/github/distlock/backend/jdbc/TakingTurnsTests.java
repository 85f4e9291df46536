package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs that ask for a lock again as soon as they have released it.
 */
class TakingTurnsTests {

	private static final int SECTIONS = 60;

	/**
	 * Of at most 40. A JVM that takes the lock again at once leaves it 3 to 10 times. One
	 * that leaves it for 10 ms does so 30 to 40 times, and half as often beside so much
	 * other work that the other JVM does not come in time.
	 */
	private static final int HAND_OFFS = 12;

	private final String key = "turns-" + UUID.randomUUID();

	/** The sections of both in their order. The lock guards the list. */
	private final List<Integer> owners = new ArrayList<>();

	private final AtomicInteger sections = new AtomicInteger();

	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void aJvmWithoutThinkTimeLeavesTheLockToAnotherOneThatWaits() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(2);
		try (HikariDataSource pool = TestDatabase.postgres().pool(4)) {
			List<BackendLockRegistry> registries = List.of(registry(pool), registry(pool));
			try {
				List<Future<?>> jvms = new ArrayList<>();
				for (BackendLockRegistry registry : registries) {
					jvms.add(threads.submit(() -> run(registry, registries.indexOf(registry))));
				}
				for (Future<?> jvm : jvms) {
					jvm.get(2, TimeUnit.MINUTES);
				}
			}
			finally {
				registries.forEach(BackendLockRegistry::shutdown);
				threads.shutdown();
			}
		}
		int handOffs = 0;
		// At first, no JVM listens.
		for (int i = SECTIONS / 3; i < SECTIONS; i++) {
			handOffs += this.owners.get(i).equals(this.owners.get(i - 1)) ? 0 : 1;
		}
		assertThat(handOffs).as("hand-offs of %s", this.owners).isGreaterThan(HAND_OFFS);
	}

	private void run(BackendLockRegistry registry, int jvm) {
		while (this.sections.get() < SECTIONS) {
			try (HeldLock lock = registry.acquire(LockRequest.of(this.key).waitTime(Duration.ofSeconds(60)))) {
				this.owners.add(jvm);
				this.sections.incrementAndGet();
				work();
			}
		}
	}

	private static void work() {
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < 20_000_000) {
			Thread.onSpinWait();
		}
	}

	private static BackendLockRegistry registry(HikariDataSource pool) {
		return JdbcRegistries.lease(pool, Duration.ofSeconds(60), Duration.ofSeconds(30));
	}

}
