package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;

import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.waiting.ErrorInjector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Two registries over one local store. The commands of the first one can fail.
 */
abstract class TwoLocalRegistries {

	final RecordedEvents events = new RecordedEvents();

	final ErrorInjector errors = new ErrorInjector();

	final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	/** The registry whose commands fail and whose events are recorded. */
	BackendLockRegistry one;

	BackendLockRegistry two;

	@BeforeEach
	void setUp() {
		LocalLockBackend real = new LocalLockBackend(this.store, 17, TimeSource.SYSTEM);
		this.one = new BackendLockRegistry(this.errors.before(real), RedisNodes.settings(Duration.ofSeconds(30)),
				List.of(this.events), TimeSource.SYSTEM);
		this.two = new BackendLockRegistry(new LocalLockBackend(this.store, 17, TimeSource.SYSTEM),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), TimeSource.SYSTEM);
		this.one.start();
		this.two.start();
	}

	@AfterEach
	void tearDown() {
		this.errors.clear();
		this.one.shutdown();
		this.two.shutdown();
		this.errors.close();
	}

	/** Both JVMs get the lock, and no queue is left in either. */
	void assertUsable() {
		LockRequest request = LockRequest.of("key").waitTime(Duration.ofSeconds(20));
		this.two.acquire(request).close();
		this.one.acquire(request).close();
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.one.snapshot().isIdle() && this.two.snapshot().isIdle());
	}

}
