package io.github.distlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.HeldLock;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Exclusion: one holder at a time, across threads and JVMs, which may re-enter. Tokens
 * increase in the order of entry. A thread that does not hold the lock cannot release it.
 */
interface ExclusionContract extends ContractTests {

	int THREADS = 6;

	int ROUNDS = 25;

	@Test
	default void contendingThreadsOfSeveralNodesNeverOverlapAndTheirTokensIncrease() throws Exception {
		contend(List.of(one(), two(), stage().node(Stage.LEASE)));
	}

	/** Contend on nodes, and check exclusion and tokens. */
	default void contend(List<ContractNode> nodes) throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicLong lastToken = new AtomicLong();
		AtomicInteger tokensNotRisen = new AtomicInteger();
		// Not atomic: visible to other threads only by the lock.
		int[] counter = new int[1];
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			ContractNode node = nodes.get(i % nodes.size());
			workers.add(stage().inThread(() -> {
				for (int n = 0; n < ROUNDS; n++) {
					try (HeldLock lock = node.registry().acquire(patient())) {
						if (inside.incrementAndGet() > 1) {
							overlaps.incrementAndGet();
						}
						if (lastToken.getAndSet(lock.fencingToken()) >= lock.fencingToken()) {
							tokensNotRisen.incrementAndGet();
						}
						int before = counter[0];
						Thread.yield();
						counter[0] = before + 1;
						inside.decrementAndGet();
					}
				}
				return true;
			}));
		}
		for (Future<?> worker : workers) {
			stage().get(worker);
		}
		assertThat(overlaps).hasValue(0);
		assertThat(tokensNotRisen).hasValue(0);
		assertThat(counter[0]).isEqualTo(THREADS * ROUNDS);
		assertThat(nodes).allSatisfy((node) -> assertThat(node.lost()).isEmpty());
		stage().awaitIdle();
	}

	@Test
	default void anotherThreadOfTheHoldersNodeDoesNotEnter() throws Exception {
		try (HeldLock lock = one().acquire(key())) {
			assertThat(stage().get(stage().inThread(() -> one().finds(key())))).isFalse();
			assertThat(two().finds(key())).isFalse();
			assertThat(lock.isHeld()).isTrue();
		}
		assertThat(two().finds(key())).isTrue();
	}

	@Test
	default void aHoldingThreadReentersWithoutACommand() {
		HeldLock outer = one().acquire(key());
		int attempts = one().backend().calls(Verb.ATTEMPT);
		HeldLock inner = one().acquire(key());
		assertThat(one().backend().calls(Verb.ATTEMPT)).isEqualTo(attempts);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		inner.close();
		assertThat(outer.isHeld()).isTrue();
		assertThat(two().finds(key())).isFalse();
		outer.close();
		assertThat(two().finds(key())).isTrue();
	}

	@Test
	default void aSecondCloseThrowsAndDoesNotFreeTheNextHolder() {
		HeldLock lock = one().acquire(key());
		lock.close();
		try (HeldLock next = two().acquire(key())) {
			assertThatThrownBy(lock::close).isInstanceOf(IllegalMonitorStateException.class);
			assertThat(next.isHeld()).isTrue();
			assertThat(one().finds(key())).isFalse();
		}
	}

	@Test
	default void anUnlockByAnotherThreadThrowsAndChangesNothing() throws Exception {
		try (HeldLock lock = one().acquire(key())) {
			for (ContractNode node : List.of(one(), two())) {
				stage().get(stage().inThread(() -> {
					assertThatThrownBy(node.registry().obtain(key())::unlock)
						.isInstanceOf(IllegalMonitorStateException.class);
					return true;
				}));
			}
			assertThat(lock.isHeld()).isTrue();
			assertThat(two().finds(key())).isFalse();
		}
	}

	@Test
	@WholeStore
	default void tokensIncreaseAfterALossOfAllData() {
		assumeLastingTokens();
		HeldLock lock = one().acquire(key());
		lock.close();
		store().clear();
		try (HeldLock next = two().acquire(key())) {
			assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
		}
	}

	@Test
	default void differentKeysAreHeldAtTheSameTime() {
		try (HeldLock lock = one().acquire(key()); HeldLock other = two().acquire(key() + "-other")) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(other.isHeld()).isTrue();
			assertThat(other.remaining()).isGreaterThan(Duration.ZERO);
		}
	}

}
