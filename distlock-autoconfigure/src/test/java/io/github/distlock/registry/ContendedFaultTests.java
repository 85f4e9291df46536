package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.ContendedRun;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Failures of Redis and of the connections to it while many threads contend for a few
 * locks. Mutual exclusion holds, each wait ends, and nothing stays locked.
 */
class ContendedFaultTests {

	private static final int NODES = 3;

	/** Survives more than one failed renewal, and a pause of the machine. */
	private static final Duration LEASE = Duration.ofSeconds(18);

	private static final AtomicInteger runs = new AtomicInteger();

	private static final long SEED = Long.getLong("distlock.seed", System.nanoTime());

	private static RedisNodes redis;

	private final RecordedEvents events = new RecordedEvents();

	private final List<BackendLockRegistry> nodes = new ArrayList<>();

	private final long seed = SEED + runs.getAndIncrement();

	private final Random random = new Random(this.seed);

	private final Map<ContendedRun, List<HeldLock>> held = new HashMap<>();

	private ContendedRun run;

	@BeforeAll
	static void startRedis() {
		redis = RedisNodes.start(Duration.ofSeconds(1));
	}

	@AfterAll
	static void nothingIsLeftInTheStore() {
		try {
			await().atMost(Duration.ofMinutes(1)).until(() -> redis.keys() == 0);
		}
		finally {
			redis.close();
		}
	}

	@BeforeEach
	void start() {
		for (int i = 0; i < NODES; i++) {
			this.nodes.add(redis.node(RedisNodes.settings(LEASE), List.of(this.events)));
		}
		this.run = contend(this.nodes, this.seed);
	}

	@AfterEach
	void stop() {
		this.run.close();
		redis.stopNodes();
	}

	/** Each registry also holds a lock that its watchdog renews until the end. */
	private ContendedRun contend(List<BackendLockRegistry> registries, long seed) {
		List<HeldLock> held = new ArrayList<>();
		for (BackendLockRegistry node : registries) {
			held.add(node.acquire(LockRequest.of("held-" + held.size() + "-" + seed)));
		}
		ContendedRun started = ContendedRun.start(registries, seed, "hot-" + seed, "warm-" + seed);
		this.held.put(started, held);
		return started;
	}

	/**
	 * Locks exclude each other, tokens rise, the locks of the whole run are held until
	 * its end, and then nothing is locked.
	 */
	private void finish(ContendedRun finished, List<BackendLockRegistry> registries) {
		List<HeldLock> held = Objects.requireNonNull(this.held.get(finished));
		assertThat(held).as(finished::toString).allMatch(HeldLock::isHeld);
		held.forEach(HeldLock::close);
		finished.finish();
		assertThat(finished.violations()).as(finished::toString).isEmpty();
		await().atMost(Duration.ofSeconds(60))
			.untilAsserted(() -> assertThat(registries).allMatch((node) -> node.snapshot().isIdle()));
		BackendLockRegistry fresh = redis.node();
		Stream.concat(finished.keys().stream(), held.stream().map(HeldLock::key)).forEach((key) -> {
			assertThat(redis.queue(key)).as(finished::toString).isEmpty();
			fresh.acquire(LockRequest.of(key).waitTime(Duration.ZERO)).close();
		});
	}

	private void finishWithoutLossOrFailure() {
		finish(this.run, this.nodes);
		assertThat(this.run.failures()).as(this.run::toString).isEmpty();
		assertThat(this.events.lost).as(this.run::toString).isEmpty();
		assertThat(this.run.lost()).as(this.run::toString).isZero();
	}

	private static void pass(Duration duration) {
		await().pollDelay(duration).atMost(duration.plusSeconds(60)).until(() -> true);
	}

	@Test
	void killedConnectionsCauseNeitherLossNorFailure() {
		for (int i = 0; i < 5; i++) {
			redis.killClients("normal");
			pass(Duration.ofMillis(this.random.nextInt(300)));
		}
		this.run.awaitProgress();
		finishWithoutLossOrFailure();
	}

	@Test
	void aStalledServerIsSurvived() {
		for (int millis : new int[] { 600, 1800 }) {
			redis.server().process().pause();
			try {
				pass(Duration.ofMillis(millis));
			}
			finally {
				redis.server().process().resume();
			}
			this.run.awaitProgress();
		}
		finishWithoutLossOrFailure();
	}

	@Test
	void aFullServerReleasesAndRenewsAndGrantsWhenItHasMemoryAgain() {
		redis.setMaxMemory("1");
		try {
			int before = this.events.renewed.get();
			await().atMost(Duration.ofSeconds(20)).until(() -> this.events.renewed.get() >= before + NODES);
		}
		finally {
			redis.setMaxMemory("0");
		}
		this.run.awaitProgress();
		finish(this.run, this.nodes);
		assertThat(this.events.lost).isEmpty();
		assertThat(this.run.failures()).allSatisfy((failure) -> assertThat(failure).hasMessageContaining("maxmemory"));
	}

	@Test
	void aStoreThatIsUnavailableForTooLongFailsAllCallersAndWorksWhenItIsBack() {
		List<TcpProxy> others = List.of(new TcpProxy(redis.server().port()), new TcpProxy(redis.server().port()));
		RegistrySettings impatient = TestSettings.of(Duration.ofSeconds(5), Duration.ofSeconds(30), null,
				RedisNodes.HAND_OFF, Duration.ofSeconds(3), false, Duration.ofSeconds(1));
		List<BackendLockRegistry> remote = others.stream()
			.map((other) -> redis.nodeBehind(other.port(), impatient, List.of(this.events)))
			.toList();
		try (ContendedRun away = contend(remote, this.seed + 1_000_000)) {
			others.forEach((other) -> other.refuse(true));
			away.awaitFailureOfAllThreads();
			assertThat(this.run.failures()).isEmpty();
			others.forEach((other) -> other.refuse(false));
			away.awaitProgress();
			finish(away, remote);
			assertThat(away.failures()).hasOnlyElementsOfType(LockBackendException.class);
		}
		finally {
			others.forEach(TcpProxy::close);
		}
		finishWithoutLossOrFailure();
	}

	@Test
	void aConnectionThatStallsForTenSecondsLosesNoLeaseOfThirty() {
		List<RemoteHold> holds = List.of(new RemoteHold("held-back"), new RemoteHold("swallowed"));
		pass(Duration.ofSeconds(5));
		// The renewals are sent while the proxy holds everything back. One proxy resumes;
		// the other one remains dead for its existing connections.
		holds.get(0).way.holdBack(true);
		holds.get(1).way.swallow(true);
		pass(Duration.ofSeconds(1));
		List<Integer> before = holds.stream().map((hold) -> hold.renewals.renewed.get()).toList();
		pass(Duration.ofSeconds(9));
		assertThat(holds.stream().map((hold) -> hold.renewals.renewed.get())).isEqualTo(before);
		holds.get(0).way.holdBack(false);
		holds.get(1).way.swallow(false);
		await().atMost(Duration.ofSeconds(20))
			.untilAsserted(() -> assertThat(holds)
				.allSatisfy((hold) -> assertThat(hold.renewals.renewed.get()).as(hold.lock.key())
					.isGreaterThan(before.get(holds.indexOf(hold)))));
		assertThat(holds).allSatisfy((hold) -> assertThat(hold.lock.isHeld()).isTrue());
		for (RemoteHold hold : holds) {
			hold.lock.close();
			assertThat(hold.renewals.lost).isEmpty();
			hold.way.close();
		}
		finishWithoutLossOrFailure();
	}

	/** A lock of a registry that connects through its own proxy. */
	private static final class RemoteHold {

		private final TcpProxy way = new TcpProxy(redis.server().port());

		private final RecordedEvents renewals = new RecordedEvents();

		private final HeldLock lock;

		RemoteHold(String key) {
			this.lock = redis
				.nodeBehind(this.way.port(), RedisNodes.settings(Duration.ofSeconds(30)), List.of(this.renewals))
				.acquire(LockRequest.of(key));
		}

	}

}
