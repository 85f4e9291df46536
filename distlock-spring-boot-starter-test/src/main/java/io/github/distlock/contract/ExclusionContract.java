package io.github.distlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.contract.ContractTests.WholeStore;
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

	/** Contend for exclusive locks on nodes, and check exclusion and tokens. */
	default void contend(List<ContractNode> nodes) throws Exception {
		contend(nodes, List.of(LockMode.EXCLUSIVE));
	}

	/**
	 * Contend on nodes. Readers may overlap. The token of a reader is higher than that of
	 * each writer before it, the token of a writer higher than all before it.
	 * @param modes the modes of the threads, in turn
	 */
	default void contend(List<ContractNode> nodes, List<LockMode> modes) throws Exception {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicInteger tokensNotRisen = new AtomicInteger();
		AtomicLong lastOfWriters = new AtomicLong();
		AtomicLong lastOfAll = new AtomicLong();
		// Not atomic: visible to other threads only by the lock.
		int[] counter = new int[1];
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			ContractNode node = nodes.get(i % nodes.size());
			LockMode mode = modes.get(i % modes.size());
			boolean reads = mode == LockMode.READ;
			workers.add(stage().inThread(() -> {
				for (int n = 0; n < ROUNDS; n++) {
					try (HeldLock lock = node.registry().acquire(patient().mode(mode))) {
						boolean alone = reads ? readers.incrementAndGet() > 0 && writers.get() == 0
								: writers.incrementAndGet() == 1 && readers.get() == 0;
						overlaps.addAndGet(alone ? 0 : 1);
						long token = lock.fencingToken();
						boolean risen = (reads ? lastOfWriters : lastOfAll).get() < token;
						tokensNotRisen.addAndGet((risen || store().locksAreTransactions()) ? 0 : 1);
						lastOfAll.accumulateAndGet(token, Math::max);
						lastOfWriters.accumulateAndGet(reads ? 0 : token, Math::max);
						int before = counter[0];
						Thread.yield();
						counter[0] = reads ? counter[0] : before + 1;
						(reads ? readers : writers).decrementAndGet();
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
		if (!modes.contains(LockMode.READ)) {
			assertThat(counter[0]).isEqualTo(THREADS * ROUNDS);
		}
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
		assertThat(two().takes(key())).isTrue();
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
		assertThat(two().takes(key())).isTrue();
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
		assumeNoTransaction();
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
		assertNextEnters(two(), lock);
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
