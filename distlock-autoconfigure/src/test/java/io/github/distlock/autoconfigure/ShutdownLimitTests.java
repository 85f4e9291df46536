package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.ForwardingBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shutdown of an application ends, whatever its locks wait for.
 */
@ExtendWith(OutputCaptureExtension.class)
class ShutdownLimitTests {

	private static final Duration BOUND = Duration.ofSeconds(60);

	private final CompletableFuture<Void> closing = new CompletableFuture<>();

	@AfterEach
	void letTheStoreClose() {
		this.closing.complete(null);
	}

	private ApplicationContextRunner application() {
		return Contexts.withoutRedis().withPropertyValues("distlock.shutdown-grace-period=1s");
	}

	@Test
	void aStoreThatNeverClosesIsLeftBehindWithTheReason(CapturedOutput output) {
		application().withBean(LockBackend.class, StuckBackend::new).run((context) -> {
			context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1")).close();
			assertThat(CompletableFuture.runAsync(context.getSourceApplicationContext()::close)).succeedsWithin(BOUND);
		});
		assertThat(output).contains("The locks were not shut down within PT3S (distlock.shutdown-grace-period)");
	}

	@Test
	void aShutdownNamesTheLocksThatItLeavesBehind(CapturedOutput output) {
		application().withPropertyValues("distlock.backend=local").run((context) -> {
			HeldLock held = context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"));
			CompletableFuture.runAsync(context.getSourceApplicationContext()::close).join();
			assertThat(held.isReleased()).isFalse();
		});
		assertThat(output).contains("locks that are held in local: [order-1]");
	}

	/** Its open store does not close. */
	private final class StuckBackend extends ForwardingBackend {

		StuckBackend() {
			super(new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM));
		}

		@Override
		public LockStore open(StoreContext context) {
			return new ForwardingStore(super.open(context)) {

				@Override
				public void close() {
					ShutdownLimitTests.this.closing.join();
					super.close();
				}

			};
		}

	}

}
