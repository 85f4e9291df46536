package io.github.distlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Many readers or one writer, if the store offers it: which callers hold the lock
 * together, which wait for which, and what a dead reader costs.
 */
interface ReadWriteContract extends ExclusionContract {

	private Future<HeldLock> asks(ContractNode node, LockMode mode) {
		return stage().inThread(() -> node.registry().acquire(request().mode(mode).waitTime(LockRequest.FOREVER)));
	}

	/** Call, and wait until the store knows the ticket. */
	private Future<HeldLock> queues(ContractNode node, LockMode mode) {
		int before = node.backend().queued();
		Future<HeldLock> waiter = asks(node, mode);
		await().until(() -> node.backend().queued() > before);
		return waiter;
	}

	@Test
	default void readersOfSeveralThreadsAndNodesHoldTogetherAndKeepWritersOut() throws Exception {
		assumeReaders();
		HeldLock one = one().acquire(key(), LockMode.READ);
		HeldLock other = stage().get(asks(one(), LockMode.READ));
		HeldLock third = two().acquire(key(), LockMode.READ);
		assertThat(List.of(one, other, third)).allMatch(HeldLock::isHeld);
		assertThat(other.fencingToken()).isGreaterThan(one.fencingToken());
		assertThat(third.fencingToken()).isGreaterThan(other.fencingToken());
		one.close();
		third.close();
		assertThat(two().finds(key(), LockMode.WRITE)).isFalse();
		assertThat(two().finds(key())).isFalse();
		other.close();
		try (HeldLock writer = two().acquire(key(), LockMode.WRITE)) {
			assertThat(writer.fencingToken()).isGreaterThan(third.fencingToken());
			assertThat(one().finds(key(), LockMode.READ)).isFalse();
			assertThat(one().finds(key(), LockMode.WRITE)).isFalse();
		}
		stage().awaitIdle();
	}

	@Test
	default void aWriterOverlapsNoHolderAndTokensIncreaseInTheOrderOfEntry() throws Exception {
		assumeReaders();
		contend(List.of(one(), two()),
				List.of(LockMode.WRITE, LockMode.WRITE, LockMode.READ, LockMode.READ, LockMode.READ, LockMode.READ));
	}

	@Test
	default void aWriterThatWaitsKeepsNewReadersOutAndEntersWhenTheReadersLeave() throws Exception {
		assumeReaders();
		assumeOrder();
		HeldLock reader = one().acquire(key(), LockMode.READ);
		Future<HeldLock> writer = queues(two(), LockMode.WRITE);
		assertThat(stage().get(stage().inThread(() -> one().finds(key(), LockMode.READ)))).isFalse();
		Future<HeldLock> laterReader = queues(one(), LockMode.READ);
		reader.close();
		HeldLock entered = stage().get(writer);
		assertThat(entered.fencingToken()).isGreaterThan(reader.fencingToken());
		assertThat(laterReader.isDone()).isFalse();
		entered.close();
		HeldLock last = stage().get(laterReader);
		assertThat(last.fencingToken()).isGreaterThan(entered.fencingToken());
		last.close();
		stage().awaitIdle();
	}

	@Test
	default void readersBehindAWriterThatGivesUpEnterWhileOthersRead() throws Exception {
		assumeReaders();
		assumeOrder();
		HeldLock reader = one().acquire(key(), LockMode.READ);
		int before = two().backend().queued();
		Future<?> writer = stage()
			.inThread(() -> two().registry().acquire(request().mode(LockMode.WRITE).waitTime(Duration.ofMillis(300))));
		await().until(() -> two().backend().queued() > before || writer.isDone());
		List<Future<HeldLock>> laterReaders = List.of(asks(one(), LockMode.READ), asks(two(), LockMode.READ));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> stage().get(writer))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		for (Future<HeldLock> waiter : laterReaders) {
			HeldLock entered = stage().get(waiter);
			assertThat(entered.isHeld()).isTrue();
			assertThat(reader.isHeld()).isTrue();
			entered.close();
		}
		reader.close();
		stage().awaitIdle();
	}

	@Test
	default void readersBehindAWriterEnterTogetherWhenItLeaves() throws Exception {
		assumeReaders();
		HeldLock writer = one().acquire(key(), LockMode.WRITE);
		List<Future<HeldLock>> waiters = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			waiters.add(asks((i % 2 == 0) ? one() : two(), LockMode.READ));
		}
		await().until(() -> one().waiting() + two().waiting() == 4);
		writer.close();
		List<HeldLock> readers = new ArrayList<>();
		for (Future<HeldLock> waiter : waiters) {
			readers.add(stage().get(waiter));
		}
		assertThat(readers).allMatch(HeldLock::isHeld)
			.allMatch((reader) -> reader.fencingToken() > writer.fencingToken())
			.extracting(HeldLock::fencingToken)
			.doesNotHaveDuplicates();
		readers.forEach(HeldLock::close);
		stage().awaitIdle();
	}

	@Test
	default void fairReadersAndWritersEnterInTheOrderOfTheirCalls() throws Exception {
		assumeReaders();
		assumeOrder();
		HeldLock held = one().acquire(key());
		List<Future<HeldLock>> callers = new ArrayList<>();
		for (LockMode mode : List.of(LockMode.WRITE, LockMode.READ, LockMode.EXCLUSIVE, LockMode.READ)) {
			ContractNode node = (callers.size() % 2 == 0) ? two() : one();
			int before = node.backend().queued();
			callers.add(stage().inThread(
					() -> node.registry().acquire(request().mode(mode).fair(true).waitTime(LockRequest.FOREVER))));
			await().until(() -> node.backend().queued() > before);
		}
		assertEnterOneByOne(held, callers);
	}

	@Test
	default void aDeadReaderCostsAtMostItsLease() throws Exception {
		assumeReaders();
		ContractNode doomed = stage().node(store().shortLease());
		HeldLock dead = doomed.acquire(key(), LockMode.READ);
		HeldLock alive = one().acquire(key(), LockMode.READ);
		Future<HeldLock> writer = asks(two(), LockMode.WRITE);
		await().until(() -> two().waiting() == 1);
		doomed.backend().crash();
		alive.close();
		HeldLock entered = stage().get(writer);
		if (description().expires()) {
			assertThat(dead.isHeld()).isFalse();
		}
		entered.close();
	}

	@Test
	default void aReaderWhoseRenewalsAreLostIsNotifiedBeforeAWriterEnters() {
		assumeReaders();
		assumeExpiry();
		ContractNode cut = stage().node(store().shortLease().multipliedBy(2));
		HeldLock lost = cut.acquire(key(), LockMode.READ);
		HeldLock alive = two().acquire(key(), LockMode.READ);
		cut.backend().loseRequests(Verb.RENEW, Integer.MAX_VALUE);
		cut.backend().loseRequests(Verb.RELEASE, Integer.MAX_VALUE);
		await().until(() -> cut.lost().contains(key()));
		assertThat(lost.isHeld()).isFalse();
		assertThat(alive.isHeld()).isTrue();
		alive.close();
		assertNextEnters(two(), lost);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
	}

	@Test
	default void aReaderThatDoesNotWaitAsksOnceAndOneThatGivesUpLeavesNothingBehind() {
		assumeReaders();
		try (HeldLock writer = two().acquire(key(), LockMode.WRITE)) {
			int attempts = one().backend().calls(Verb.ATTEMPT);
			assertThat(one().registry().tryAcquire(once().mode(LockMode.READ))).isEmpty();
			assertThat(one().backend().calls(Verb.ATTEMPT)).isEqualTo(attempts + 1);
			assertThat(one().isIdle()).isTrue();
			assertThat(one().registry().tryAcquire(request().mode(LockMode.READ).waitTime(Duration.ofMillis(100))))
				.isEmpty();
			await().until(one()::isIdle);
			one().backend().loseReplies(Verb.CANCEL, 1);
			assertThat(one().registry().tryAcquire(request().mode(LockMode.READ).waitTime(Duration.ofMillis(100))))
				.isEmpty();
			assertThat(writer.isHeld()).isTrue();
		}
		await().until(() -> one().isIdle() && two().isIdle());
		assertThat(two().takes(key(), LockMode.WRITE)).isTrue();
	}

	@Test
	default void aReaderThatAsksToWriteIsRefusedWithARemedy() {
		assumeReaders();
		HeldLock reader = one().acquire(key(), LockMode.READ);
		for (LockMode mode : List.of(LockMode.WRITE, LockMode.EXCLUSIVE)) {
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> one().acquire(key(), mode))
				.withMessageContaining(key())
				.withMessageContaining(mode.name())
				.withMessageContaining("Acquire WRITE first");
		}
		assertThat(reader.isHeld()).isTrue();
		reader.close();
		one().acquire(key(), LockMode.WRITE).close();
	}

	@Test
	default void aHolderReentersWithoutACommandUnlessAReaderAsksToWrite() {
		assumeReaders();
		for (LockMode outer : LockMode.values()) {
			for (LockMode inner : LockMode.values()) {
				if (outer == LockMode.READ && inner != LockMode.READ) {
					continue;
				}
				HeldLock held = one().acquire(key(), outer);
				int attempts = one().backend().calls(Verb.ATTEMPT);
				HeldLock again = one().acquire(key(), inner);
				assertThat(one().backend().calls(Verb.ATTEMPT)).isEqualTo(attempts);
				again.close();
				assertThat(held.isHeld()).isTrue();
				assertThat(two().finds(key(), LockMode.READ)).isEqualTo(outer == LockMode.READ);
				held.close();
			}
		}
	}

	@Test
	default void aWriterThatClosesItsWritingLevelFirstStaysTheWriterUntilItsLastLevelIsClosed() {
		assumeReaders();
		HeldLock writer = one().acquire(key(), LockMode.WRITE);
		HeldLock reader = one().acquire(key(), LockMode.READ);
		int releases = one().backend().calls(Verb.RELEASE);
		writer.close();
		assertThat(one().backend().calls(Verb.RELEASE)).isEqualTo(releases);
		assertThat(writer.isHeld()).isFalse();
		assertThat(reader.isHeld()).isTrue();
		assertThat(reader.fencingToken()).isEqualTo(writer.fencingToken());
		assertThat(two().finds(key(), LockMode.READ)).isFalse();
		// Inside, it may write again.
		one().acquire(key(), LockMode.WRITE).close();
		reader.close();
		assertThat(two().takes(key(), LockMode.READ)).isTrue();
		stage().awaitIdle();
	}

}
