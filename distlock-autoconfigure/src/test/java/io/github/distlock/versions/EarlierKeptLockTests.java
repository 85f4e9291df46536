package io.github.distlock.versions;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisNodes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM of an earlier version keeps a lock in Redis for a second after its release, and
 * marks the value of such a grant. The JVMs of this version do not ask it for the lock.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class EarlierKeptLockTests {

	/** The last commit whose JVMs keep locks. */
	private static final String COMMIT = "86682c31d240065e5c0ac249dae0ba2ced2b7349";

	private static final LockRequest REQUEST = LockRequest.of("key").waitTime(LockRequest.FOREVER);

	private static final String LOCK = "distlock:lock:{key}";

	/** Longer than a lock is kept, shorter than its lease. */
	private static final Duration KEPT = Duration.ofSeconds(4);

	/** The lease of a marked grant. */
	private static final long LEASE_MILLIS = 5000;

	private static String classPath;

	private final RedisNodes redis = RedisNodes.start();

	private BackendLockRegistry one;

	private BackendLockRegistry two;

	private ChildJvm earlier;

	@BeforeAll
	static void build() throws Exception {
		classPath = EarlierVersion.classPath(COMMIT);
	}

	@BeforeEach
	void startJvms() {
		this.one = this.redis.node();
		this.two = this.redis.node();
		this.earlier = ChildJvm.start(List.of("-cp", classPath), VersionWorker.class);
		this.earlier
			.send("open distlock.backend=redis distlock.handoff.keep=1s spring.application.name=earlier-shop"
					+ " spring.data.redis.port=" + this.redis.server().port())
			.expect("opened");
	}

	@AfterEach
	void stopJvms() {
		this.earlier.close();
		this.redis.close();
	}

	/** Let the earlier JVM hold the lock under a marked grant. */
	private long hold() {
		long[] token = new long[1];
		// It marks no grant before its inbox is confirmed.
		await().until(() -> {
			token[0] = Long.parseLong(this.earlier.send("hold key").expect("holds"));
			if (isMarked()) {
				return true;
			}
			leave();
			return false;
		});
		return token[0];
	}

	private void leave() {
		this.earlier.send("leave").expect("left");
	}

	private boolean isMarked() {
		return value().matches("[-+]earlier-shop@[^|]+\\|0501\\|\\d+");
	}

	private String value() {
		return String.valueOf(this.redis.server().process().ask("GET", LOCK));
	}

	private static void close(CompletableFuture<HeldLock> waiter, long after) throws Exception {
		try (HeldLock lock = waiter.get(30, TimeUnit.SECONDS)) {
			assertThat(lock.fencingToken()).isGreaterThan(after);
		}
	}

	/** Wait behind others. */
	private CompletableFuture<HeldLock> waiter(BackendLockRegistry registry, int place) {
		CompletableFuture<HeldLock> waiter = registry.acquireAsync(REQUEST);
		await().until(() -> this.redis.queueLength("key") == place);
		return waiter;
	}

	@Test
	void aCallerThatTriesOnceIsRefusedWhileTheLockIsKept() {
		// On a busy machine the lock may have gone back before the attempt.
		await().until(() -> {
			hold();
			leave();
			LockNotAcquiredException refusal = refusal();
			if (refusal == null) {
				return false;
			}
			assertThat(refusal).hasMessageContaining(": earlier-shop@").hasMessageContaining(" has held it since ");
			return true;
		});
		await().until(() -> refusal() == null);
	}

	private @Nullable LockNotAcquiredException refusal() {
		try (HeldLock lock = this.one.acquire(REQUEST.waitTime(Duration.ZERO))) {
			assertThat(value()).as("the holder").doesNotContain("earlier-shop");
			return null;
		}
		catch (LockNotAcquiredException ex) {
			return ex;
		}
	}

	@Test
	void callersThatWaitGetTheLockInTheirOrderWhenItIsNotKeptAnyMore() throws Exception {
		boolean[] kept = new boolean[1];
		// On a busy machine a second may have passed before the release.
		await().until(() -> {
			long token = hold();
			CompletableFuture<HeldLock> first = waiter(this.one, 1);
			CompletableFuture<HeldLock> second = waiter(this.two, 2);
			long start = System.nanoTime();
			leave();
			kept[0] = isMarked();
			try (HeldLock lock = first.get(30, TimeUnit.SECONDS)) {
				kept[0] &= System.nanoTime() - start < KEPT.toNanos();
				assertThat(lock.fencingToken()).isGreaterThan(token);
				assertThat(second).isNotDone();
				token = lock.fencingToken();
			}
			close(second, token);
			return kept[0];
		});
	}

	@Test
	void aCallerThatWaitsGetsTheLockOfADeadJvmWhenItsLeaseHasEnded() throws Exception {
		long token = hold();
		CompletableFuture<HeldLock> waiter = waiter(this.one, 1);
		this.earlier.kill();
		assertThat(value()).startsWith("+earlier-shop@");
		assertThat(this.redis.remainingMillis("key")).isPositive().isLessThanOrEqualTo(LEASE_MILLIS);
		close(waiter, token);
	}

	@Test
	void theLeaseIsRenewedWhileACallerWaits() throws Exception {
		long token = hold();
		String value = value();
		CompletableFuture<HeldLock> waiter = waiter(this.one, 1);
		long start = System.nanoTime();
		await().until(() -> {
			assertThat(value()).isEqualTo("+" + value.substring(1));
			return System.nanoTime() - start > 1_500_000 * LEASE_MILLIS;
		});
		assertThat(this.earlier.send("confirm").expect("confirmed")).isEqualTo("true");
		assertThat(waiter).isNotDone();
		leave();
		close(waiter, token);
	}

}
