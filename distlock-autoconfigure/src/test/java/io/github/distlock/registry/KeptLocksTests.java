package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.ForgetfulBackend;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import io.github.distlock.registry.RegistrySnapshot.KeptLockSnapshot;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.StoppedClock;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.waiting.HandOffLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that a registry keeps in Redis after their release.
 */
class KeptLocksTests extends TwoRegistries {

	private static final Duration KEEP = Duration.ofSeconds(1);

	private static final RegistrySettings SETTINGS = TestSettings.keeping(RedisNodes.settings(Duration.ofSeconds(30)),
			KEEP);

	/** How many locks a registry keeps at most. */
	private static final int MOST = 1000;

	/** A keeper for which no time passes: it gives nothing back unless it is asked. */
	private BackendLockRegistry keeper() {
		return redis.node(SETTINGS, List.of(this.events), new StoppedClock());
	}

	/** Let a registry keep a lock, as soon as its inbox is confirmed. */
	private static KeptLockSnapshot keep(BackendLockRegistry node, String key) {
		await().until(() -> {
			node.acquire(request(key)).close();
			return !keptBy(node, key).isEmpty();
		});
		return keptBy(node, key).get(0);
	}

	private static List<KeptLockSnapshot> keptBy(BackendLockRegistry node, String key) {
		return node.snapshot().kept().stream().filter((lock) -> lock.key().equals(key)).toList();
	}

	private static Optional<HeldLock> tryOnce(BackendLockRegistry node, String key) {
		return node.tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO));
	}

	@Test
	void theSameKeyAgainAndAgainCostsTwoCommandsForEachGrant() {
		BackendLockRegistry node = redis.node(SETTINGS, List.of(this.events));
		keep(node, "key");
		this.events.attempted.clear();
		redis.resetStats();
		for (int n = 0; n < 2000; n++) {
			node.acquire(request("key")).close();
		}
		long grants = this.events.attempted.stream().filter((event) -> event.handOff() == HandOff.NONE).count();
		assertThat(this.events.attempted).hasSize(2000)
			.filteredOn((event) -> event.handOff() == HandOff.KEPT)
			.hasSize(2000 - (int) grants);
		// Each grant has 501 tokens. A turn lasts one second.
		assertThat(grants).isGreaterThanOrEqualTo(3).isLessThan(200);
		assertThat(redis.calls("evalsha") + redis.calls("eval")).isLessThanOrEqualTo(2 * grants);
	}

	@Test
	void tokensRiseFromEntryToEntryAndFromJvmToJvm() {
		BackendLockRegistry node = keeper();
		long token = keep(node, "key").fencingToken();
		for (int n = 0; n < 1200; n++) {
			BackendLockRegistry next = (n % 100 == 99) ? this.two : node;
			try (HeldLock lock = next.acquire(request("key"))) {
				assertThat(lock.fencingToken()).isGreaterThan(token);
				token = lock.fencingToken();
			}
		}
	}

	@Test
	void aCallerOfAnotherJvmGetsAKeptLockByOneRequest() {
		BackendLockRegistry node = keeper();
		long token = keep(node, "key").fencingToken();
		redis.resetStats();
		try (HeldLock lock = this.two.acquire(request("key"))) {
			// An attempt and a release, the first of which is sent with its text; the
			// request and the grant.
			assertThat(redis.calls("evalsha") + redis.calls("eval")).isEqualTo(2);
			assertThat(redis.calls("publish")).isEqualTo(2);
			assertThat(lock.fencingToken()).isGreaterThan(token);
			assertThat(node.snapshot().kept()).isEmpty();
		}
	}

	@Test
	void aCallerOfAnotherJvmThatTriesOnceGetsAKeptLock() {
		BackendLockRegistry node = keeper();
		for (int n = 0; n < 20; n++) {
			keep(node, "key");
			assertThat(tryOnce(this.two, "key")).as("attempt %s", n).isPresent().hasValueSatisfying(HeldLock::close);
		}
	}

	@Test
	void aCallerOfAnotherJvmThatTriesOnceIsRefusedWhileACallerIsInside() {
		BackendLockRegistry node = keeper();
		keep(node, "key");
		try (HeldLock lock = node.acquire(request("key"))) {
			assertThat(tryOnce(this.two, "key")).isEmpty();
			assertThat(lock.isHeld()).isTrue();
		}
		assertThat(node.snapshot().kept()).as("asked for meanwhile").isEmpty();
		assertThat(tryOnce(this.two, "key")).isPresent().hasValueSatisfying(HeldLock::close);
	}

	@Test
	void aLockWithWaitersIsNotKeptAndPassesToThem() throws Exception {
		BackendLockRegistry node = keeper();
		keep(node, "key");
		HeldLock lock = node.acquire(request("key"));
		Future<HeldLock> waiter = this.threads.submit(() -> this.two.acquire(request("key")));
		await().until(() -> redis.queueLength("key") == 1);
		lock.close();
		waiter.get(20, TimeUnit.SECONDS).close();
		assertThat(node.snapshot().isIdle()).isTrue();
	}

	@Test
	void aKeptLockIsReleasedWhenItsTimeHasPassed() {
		BackendLockRegistry node = redis.node(TestSettings.keeping(SETTINGS, Duration.ofMillis(1)),
				List.of(this.events));
		node.acquire(request("key")).close();
		await().until(() -> node.snapshot().isIdle());
		assertThat(redis.isLocked("key")).isFalse();
	}

	@Test
	void aShutdownReleasesAllKeptLocksAndKeepsNoMore() throws Exception {
		RegistrySettings patient = TestSettings.keeping(TestSettings.of(SETTINGS.waitTime(), SETTINGS.leaseTime(), null,
				SETTINGS.handOff(), SETTINGS.backendTimeout(), false, Duration.ofSeconds(20)), KEEP);
		BackendLockRegistry node = redis.node(patient, List.of(this.events), new StoppedClock());
		keep(node, "key-0");
		for (int n = 1; n < 50; n++) {
			node.acquire(request("key-" + n)).close();
		}
		assertThat(node.snapshot().kept()).hasSize(50);
		HeldLock inside = node.acquire(request("inside"));
		Future<?> shutdown = this.threads.submit(node::shutdown);
		await().until(() -> node.snapshot().kept().isEmpty());
		inside.close();
		shutdown.get(20, TimeUnit.SECONDS);
		assertThat(redis.isLocked("inside")).isFalse();
		for (int n = 0; n < 50; n++) {
			assertThat(redis.isLocked("key-" + n)).isFalse();
		}
		assertThat(this.events.lost).isEmpty();
	}

	@Test
	void aKeptLockIsNotHeld() {
		BackendLockRegistry node = keeper();
		KeptLockSnapshot kept = keep(node, "key");
		assertThat(kept.grantToken()).isPositive().isLessThanOrEqualTo(kept.fencingToken());
		assertThat(node.snapshot().held()).isEmpty();
		assertThat(node.snapshot().isIdle()).isFalse();
		assertThat(node.snapshot().kept()).hasSize(1);
		assertThat(this.events.released).hasSameSizeAs(this.events.attempted);
		assertThat(redis.isLocked("key")).isTrue();
	}

	@Test
	void aLossThatOnlyTheStoreKnowsIsReportedWhenTheKeptLockIsReleased() {
		BackendLockRegistry node = keeper();
		keep(node, "key");
		redis.flush();
		// The caller does not learn of it.
		node.acquire(request("key")).close();
		assertThat(this.events.lost).isEmpty();
		node.shutdown();
		await().untilAsserted(() -> assertThat(this.events.lost).containsExactly("key"));
	}

	@Test
	void aLockWhoseLeaseWasLimitedIsNotKept() {
		BackendLockRegistry node = keeper();
		keep(node, "key");
		HeldLock lock = node.acquire(request("key"));
		lock.expireAfter(Duration.ofSeconds(10));
		lock.close();
		assertThat(node.snapshot().kept()).isEmpty();
		assertThat(redis.isLocked("key")).isFalse();
	}

	@Test
	void thePropertyHasNoEffectOnLocksThatCannotBeKept() {
		BackendLockRegistry node = keeper();
		keep(node, "key");
		node.acquire(request("lease").leaseTime(Duration.ofSeconds(10))).close();
		node.acquire(request("fair").fair(true)).close();
		node.acquire(request("read").mode(LockMode.READ)).close();
		node.acquire(request("write").mode(LockMode.WRITE)).close();
		node.acquire(request("never").keep(Duration.ZERO)).close();
		assertThat(node.snapshot().kept()).extracting(KeptLockSnapshot::key).containsExactly("key");
		for (String key : List.of("lease", "fair", "read", "write", "never")) {
			assertThat(redis.isLocked(key)).as(key).isFalse();
		}
	}

	@Test
	void aRequestIsKeptWithoutTheProperty() {
		BackendLockRegistry node = redis.node(RedisNodes.settings(Duration.ofSeconds(30)), List.of(),
				new StoppedClock());
		LockRequest kept = request("key").keep(KEEP);
		await().until(() -> {
			node.acquire(kept).close();
			return !node.snapshot().kept().isEmpty();
		});
		node.acquire(request("other")).close();
		assertThat(node.snapshot().kept()).extracting(KeptLockSnapshot::key).containsExactly("key");
	}

	@Test
	void aStoreThatKeepsNoLocksRefusesTheRequestAndIgnoresTheProperty() {
		BackendLockRegistry local = new BackendLockRegistry(
				new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM), SETTINGS,
				List.of(this.events), TimeSource.SYSTEM);
		local.start();
		try {
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> local.acquire(request("key").keep(KEEP)))
				.withMessage("Lock 'key' was requested with keep = PT1S, but the store 'local' does not keep locks: "
						+ "leave keep out");
			local.acquire(request("key")).close();
			assertThat(local.snapshot().isIdle()).isTrue();
		}
		finally {
			local.shutdown();
		}
	}

	@Test
	void aKeptLockWhoseInboxIsInterruptedIsReleased() {
		BackendLockRegistry node = keeper();
		keep(node, "key");
		redis.killClients("pubsub");
		await().until(() -> !redis.isLocked("key"));
		assertThat(this.events.lost).isEmpty();
	}

	@Test
	void anOperatorEndsTheGrantOfAKeptLock() {
		BackendLockRegistry node = keeper();
		KeptLockSnapshot kept = keep(node, "key");
		this.two.inspection().end("key", kept.grantToken());
		try (HeldLock lock = this.two.acquire(request("key"))) {
			assertThat(lock.fencingToken()).isGreaterThan(kept.fencingToken());
			await().until(() -> node.snapshot().isIdle());
		}
	}

	@Test
	void theLeaseOfAKeepableLockIsAtMostFiveSeconds() {
		BackendLockRegistry node = keeper();
		try (HeldLock lock = node.acquire(request("key"))) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(redis.remainingMillis("key")).isPositive().isLessThanOrEqualTo(5000);
		}
	}

	@Test
	void threadsOfOneJvmShareAKeptLock() throws Exception {
		BackendLockRegistry node = redis.node(SETTINGS, List.of(this.events));
		keep(node, "key");
		CountDownLatch start = new CountDownLatch(1);
		int[] inside = new int[1];
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			workers.add(this.threads.submit(() -> {
				start.await();
				for (int n = 0; n < 300; n++) {
					try (HeldLock lock = ((n % 50 == 0) ? this.two : node).acquire(request("key"))) {
						assertThat(++inside[0]).isOne();
						assertThat(lock.isHeld()).isTrue();
						inside[0]--;
					}
				}
				return null;
			}));
		}
		start.countDown();
		for (Future<?> worker : workers) {
			worker.get(60, TimeUnit.SECONDS);
		}
		await().until(() -> node.snapshot().isIdle());
	}

	@Test
	void aLockThatAnotherJvmKeepsIsGrantedToACallerThatTriesOnce() {
		try (ChildJvm child = ChildJvm.startWithoutTime(redis.server().port(), "child")) {
			long token = Long.parseLong(child.send("kept PT1S").expect("kept"));
			try (HeldLock lock = tryOnce(this.two, "child").orElseThrow()) {
				assertThat(lock.fencingToken()).isGreaterThan(token);
			}
		}
	}

	@Test
	void anAsynchronousTryOfAnotherJvmGetsAKeptLock() throws Exception {
		keep(keeper(), "key");
		assertThat(this.two.tryAcquireAsync(LockRequest.of("key").waitTime(Duration.ZERO)).get(20, TimeUnit.SECONDS))
			.hasValueSatisfying(HeldLock::close);
	}

	@Test
	void aFairCallerOfTheSameJvmGetsTheKeptLock() {
		BackendLockRegistry node = keeper();
		keep(node, "key");
		node.acquire(request("key").fair(true)).close();
		await().until(() -> node.snapshot().isIdle());
	}

	@Test
	void theNumberOfKeptLocksIsLimitedAndACallerBeyondReleasesItsLockItself() {
		BackendLockRegistry node = keeper();
		keepAsManyAsAllowed(node);
		use(node, "one more");
		assertThat(keptBy(node, "one more")).isEmpty();
		assertThat(redis.isLocked("one more")).isFalse();
		// A caller that enters makes room, until it leaves.
		HeldLock lock = node.acquire(request("key-0"));
		use(node, "one more");
		assertThat(keptBy(node, "one more")).hasSize(1);
		lock.close();
		assertThat(keptBy(node, "key-0")).isEmpty();
	}

	@Test
	void aKeptLockWhoseReleaseIsUnansweredCountsUntilTheAnswer() throws Exception {
		ForgetfulBackend backend = new ForgetfulBackend(redis.backend(SETTINGS, TimeSource.SYSTEM));
		BackendLockRegistry node = redis.node(backend, SETTINGS, List.of(this.events), new StoppedClock());
		keepAsManyAsAllowed(node);
		int releases = backend.calls(Verb.RELEASE);
		CompletableFuture<Boolean> replies = backend.holdReleaseReplies();
		this.two.acquire(request("key-0")).close();
		assertThat(keptBy(node, "key-0")).isEmpty();
		Future<?> closing = this.threads.submit(() -> use(node, "one more"));
		await().until(() -> backend.calls(Verb.RELEASE) == releases + 2);
		replies.complete(true);
		closing.get(20, TimeUnit.SECONDS);
		await().until(() -> {
			use(node, "one more");
			return !keptBy(node, "one more").isEmpty();
		});
	}

	@Test
	void noThreadWaitsForTheAnswersToTheReleasesOfKeptLocks() throws Exception {
		ForgetfulBackend backend = new ForgetfulBackend(redis.backend(SETTINGS, TimeSource.SYSTEM));
		BackendLockRegistry node = redis.node(backend, SETTINGS, List.of(this.events), new StoppedClock());
		keep(node, "key-0");
		// More than the executor has threads.
		for (int n = 1; n < 100; n++) {
			use(node, "key-" + n);
		}
		int releases = backend.calls(Verb.RELEASE);
		CompletableFuture<Boolean> replies = backend.holdReleaseReplies();
		redis.killClients("pubsub");
		await().until(() -> backend.calls(Verb.RELEASE) == releases + 100);
		// A thread of the executor sends the attempt of an asynchronous caller.
		HeldLock lock = node.acquireAsync(request("free")).get(20, TimeUnit.SECONDS);
		assertThat(replies).isNotDone();
		replies.complete(true);
		lock.close();
	}

	private static void use(BackendLockRegistry node, String key) {
		node.acquire(request(key)).close();
	}

	/** Keep one key after the other until they are asked for. */
	private static void keepAsManyAsAllowed(BackendLockRegistry node) {
		keep(node, "key-0");
		for (int n = 1; n < MOST; n++) {
			use(node, "key-" + n);
		}
		assertThat(node.snapshot().kept()).hasSize(MOST);
	}

	@Test
	void aMinimumHoldTimeIsKeptUnderAGrantThatAnotherCallerHasAskedFor() throws Exception {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			RegistrySettings settings = TestSettings.keeping(RedisNodes.settings(Duration.ofMillis(1500)), KEEP);
			BackendLockRegistry node = redis.nodeBehind(proxy.port(), settings, List.of(this.events));
			keep(node, "other");
			proxy.holdBack(true);
			CompletableFuture<HeldLock> first = node.acquireAsync(request("key"));
			CompletableFuture<HeldLock> second = node.acquireAsync(request("key").minHold(Duration.ofSeconds(30)));
			first.cancel(true);
			proxy.holdBack(false);
			second.get(20, TimeUnit.SECONDS).close();
			// The grant is for less. The store extends it only if it knows the word.
			await().until(() -> redis.remainingMillis("key") > 10_000);
			assertThat(redis.isLocked("key")).isTrue();
			node.shutdown();
		}
	}

	@Test
	void withoutHandOffsNoLockIsKeptAndTheLeaseIsThatOfTheWatchdog() {
		RegistrySettings settings = RedisNodes.settings(Duration.ofSeconds(30), new HandOffLimits(0, Duration.ZERO));
		BackendLockRegistry node = redis.node(TestSettings.keeping(settings, KEEP), List.of(this.events),
				new StoppedClock());
		for (LockRequest request : List.of(request("property"), request("request").keep(KEEP))) {
			try (HeldLock lock = node.acquire(request)) {
				assertThat(lock.isHeld()).isTrue();
				assertThat(redis.remainingMillis(request.key())).as(request.key()).isGreaterThan(10_000);
			}
			assertThat(redis.isLocked(request.key())).as(request.key()).isFalse();
		}
		assertThat(node.snapshot().kept()).isEmpty();
	}

}
