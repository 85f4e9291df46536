package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static io.github.distlock.backend.redlock.RedlockParticipant.LEASE;
import static io.github.distlock.backend.redlock.RedlockParticipant.TIMEOUT;

/**
 * Five masters, and one JVM whose connections to them fail as a test requests. Claims
 * that win no majority, or win it too late, are undone on all nodes, even on those that
 * did not answer. Tokens rise although each time another majority grants, and some nodes
 * are far ahead: their floor is set as if their clock was ahead.
 */
class PartialGrantTests {

	private static final String OTHERS = "+other:1#1|1|1";

	private static final Duration AHEAD = Duration.ofHours(5);

	@AutoClose
	private static final RedlockCluster cluster = new RedlockCluster(5);

	private List<DelegatingNode> nodes;

	@AutoClose
	private RedlockParticipant one;

	@BeforeEach
	void start() {
		cluster.ask("FLUSHALL");
		this.nodes = cluster.trusted(TIMEOUT);
		this.one = new RedlockParticipant(this.nodes, LEASE);
		// Its connections are open.
		this.one.tokenOf("warm");
	}

	@Test
	void aMinorityIsReleasedAndTheTicketWaits() {
		cluster.setWord("k", OTHERS, 1, 2, 4);
		assertThat(this.one.attempt(this.one.ticket("k"), LEASE, true)).isInstanceOf(AttemptResult.Queued.class);
		await().atMost(LEASE.dividedBy(2)).until(() -> cluster.holders("k") == 3);
		assertThat(this.one.attempt(this.one.ticket("k"), LEASE, false)).isInstanceOf(AttemptResult.Busy.class);
		await().atMost(LEASE.dividedBy(2)).until(() -> cluster.holders("k") == 3);
	}

	/** Its timer may be late, or early if the thread that sets it has stood still. */
	@Test
	void thePauseAfterAReleaseForOthersEndsByTheClock() {
		Quorum quorum = (Quorum) Objects.requireNonNull(ReflectionTestUtils.getField(this.one.store, "quorum"));
		Semaphore end = new Semaphore(0);
		quorum.timers.schedule(end::acquireUninterruptibly, 0);
		try (RedlockParticipant two = new RedlockParticipant(cluster.trusted(TIMEOUT), LEASE)) {
			Ticket held = this.one.ticket("k");
			Grant grant = this.one.take(held, LEASE);
			Ticket waiting = two.ticket("k");
			await().until(() -> {
				two.attempt(waiting, LEASE, true);
				return cluster.queued("k") == 1;
			});
			assertThat(this.one.release(held, grant.lastToken())).isTrue();
			await().until(() -> two.retried.contains(waiting));
			await().until(() -> this.one.attempt(this.one.ticket("k"), LEASE, true) instanceof Grant);
		}
		finally {
			end.release();
		}
	}

	@Test
	void aTicketThatIsCancelledLeavesTheNodesWhoseVotesAreLate() {
		cluster.setWord("k", OTHERS, 1, 2, 4);
		this.nodes.get(0).delay = Duration.ofMillis(300);
		Ticket ticket = this.one.ticket("k");
		assertThat(this.one.attempt(ticket, LEASE, true)).isInstanceOf(AttemptResult.Queued.class);
		Answers.of(this.one.store.cancel(ticket));
		await().atMost(LEASE.dividedBy(2)).until(() -> cluster.holders("k") == 3);
	}

	@Test
	void nodesWhoseVotesWereLostAreReleasedToo() {
		this.nodes.get(0).votesLost = true;
		this.nodes.get(3).votesLost = true;
		Ticket ticket = this.one.ticket("k");
		this.one.take(ticket, LEASE);
		await().until(() -> cluster.holders("k") == 5);
		assertThat(this.one.release(ticket, 0)).isTrue();
		await().atMost(LEASE.dividedBy(2)).until(() -> cluster.holders("k") == 0);
	}

	@Test
	void aReleaseIsRepeatedUntilEachNodeAcknowledgesIt() {
		Ticket ticket = this.one.ticket("k");
		this.one.take(ticket, LEASE);
		await().until(() -> cluster.holders("k") == 5);
		this.nodes.get(2).losesReleases = true;
		assertThat(this.one.release(ticket, 0)).isTrue();
		await().until(() -> cluster.holders("k") == 1);
		this.nodes.get(2).losesReleases = false;
		await().atMost(LEASE.dividedBy(2)).until(() -> cluster.holders("k") == 0);
	}

	@Test
	void aReleaseThatAMajorityDoesNotAcknowledgeIsUnknownAndSucceedsLater() {
		Ticket ticket = this.one.ticket("k");
		this.one.take(ticket, LEASE);
		await().until(() -> cluster.holders("k") == 5);
		this.nodes.subList(0, 3).forEach((node) -> node.losesReleases = true);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.one.release(ticket, 0));
		this.nodes.subList(1, 3).forEach((node) -> node.losesReleases = false);
		await().until(() -> cluster.holders("k") == 1);
		// When their answers are here. It is not gone: the first try has released it.
		await().ignoreException(LockBackendException.class)
			.untilAsserted(() -> assertThat(this.one.release(ticket, 0)).isTrue());
		this.nodes.forEach((node) -> node.losesReleases = false);
		await().atMost(LEASE.dividedBy(2)).until(() -> cluster.holders("k") == 0);
	}

	@Test
	void votesThatArriveAfterTheLeaseWinNothing() {
		this.nodes.subList(0, 3).forEach((node) -> node.delay = Duration.ofMillis(350));
		assertThat(this.one.attempt(this.one.ticket("k"), Duration.ofMillis(300), false))
			.isInstanceOf(AttemptResult.Busy.class);
		assertThat(this.one.attempt(this.one.ticket("k"), Duration.ofMillis(300), true))
			.isInstanceOf(AttemptResult.Queued.class);
	}

	@Test
	void theValidityCountsFromBeforeTheFirstCommand() {
		this.nodes.subList(0, 3).forEach((node) -> node.delay = Duration.ofMillis(400));
		Ticket ticket = this.one.ticket("k");
		long start = System.nanoTime();
		long remaining = this.one.take(ticket, LEASE).validity().remainingNanos(TimeSource.SYSTEM);
		assertThat(remaining).isLessThan(LEASE.minusMillis(400 + 30).toNanos());
		assertThat(System.nanoTime() - start).isGreaterThan(Duration.ofMillis(400).toNanos());
	}

	@Test
	void aTicketThatWinsWithoutASignalIsNoLongerQueued() {
		cluster.setWord("k", OTHERS, 0, 1, 2, 3, 4);
		Ticket ticket = this.one.ticket("k");
		await().until(() -> {
			this.one.attempt(ticket, LEASE, true);
			return cluster.queued("k") == 1;
		});
		cluster.ask("DEL distlock:redlock:lock:{k}");
		assertThat(this.one.attempt(ticket, LEASE, true)).isInstanceOf(Grant.class);
		await().atMost(LEASE.dividedBy(2)).until(() -> cluster.queued("k") == 0);
	}

	@Test
	void tokensRiseWhenTheNodeThatWasAheadIsUnreachableLater() {
		long far = aheadMicros(AHEAD);
		cluster.setWord("k", "|" + far, 0);
		// The node that is ahead votes, and two others, which are not.
		only(0, 1, 2);
		long first = this.one.tokenOf("k");
		assertThat(first).isGreaterThan(far);
		for (int[] majority : new int[][] { { 1, 3, 4 }, { 2, 3, 4 }, { 1, 2, 3 }, { 2, 4, 0 }, { 1, 3, 2 } }) {
			only(majority);
			long next = this.one.tokenOf("k");
			assertThat(next).isGreaterThan(first);
			first = next;
		}
	}

	@Test
	void tokensRiseWhereTheClocksDifferByLessThanALease() {
		for (int i = 0; i < 5; i++) {
			long ahead = aheadMicros(LEASE.dividedBy(3));
			cluster.setWord("k" + i, "|" + ahead, 0);
			only(0, 1, 2);
			long first = this.one.tokenOf("k" + i);
			assertThat(first).isGreaterThan(ahead);
			only(i % 2 + 1, 3, 4);
			assertThat(this.one.tokenOf("k" + i)).isGreaterThan(first);
		}
		// The clock would have passed the token if the claim had expired.
		assertThat(this.nodes.stream().mapToInt((node) -> node.raises.get()).sum()).isZero();
	}

	@Test
	void tokensRiseAfterALockThatExpired() {
		long far = aheadMicros(AHEAD);
		cluster.setWord("k", "|" + far, 0);
		only(0, 1, 2);
		Grant expired = this.one.take(this.one.ticket("k"), LEASE);
		assertThat(expired.firstToken()).isGreaterThan(far);
		assertThat(this.nodes.stream().mapToInt((node) -> node.raises.get()).sum()).isPositive();
		cluster.ask("PEXPIRE distlock:redlock:lock:{k} 1");
		only(1, 3, 4);
		await().until(() -> cluster.holders("k") == 0);
		assertThat(this.one.tokenOf("k")).isGreaterThan(expired.lastToken());
	}

	@Test
	void aFailedClaimDoesNotRemoveTheFloor() {
		long far = aheadMicros(AHEAD);
		cluster.setWord("k", "|" + far, 0, 1, 2);
		// A claim that only a minority gets, and that is not undone: it expires.
		only(0, 1);
		this.nodes.forEach((node) -> node.losesReleases = true);
		this.nodes.get(2).votesLost = true;
		assertThat(this.one.takesOrFails(this.one.ticket("k"), Duration.ofMillis(200))).isFalse();
		this.nodes.forEach((node) -> node.losesReleases = false);
		await().until(() -> cluster.holders("k") == 0);
		only(1, 3, 4);
		assertThat(this.one.tokenOf("k")).isGreaterThan(far);
	}

	@Test
	void aFloorStaysUntilTheClockHasPassedItAndNothingElseIsLeft() {
		long far = aheadMicros(AHEAD);
		cluster.setWord("k", "|" + far, 0);
		only(0, 1, 2);
		this.one.tokenOf("k");
		only(0, 1, 2, 3, 4);
		Ticket ticket = this.one.ticket("k");
		this.one.take(ticket, LEASE);
		assertThat(Long.parseLong(cluster.floor(1, "k"))).isGreaterThan(far);
		this.one.release(ticket, 0);
		await().until(() -> cluster.keys() == 5);
		for (int node = 0; node < 5; node++) {
			long passed = Long.parseLong(cluster.floor(node, "k")) / 1000;
			long before = System.currentTimeMillis();
			long ttl = Long.parseLong(cluster.ask(node, "PTTL distlock:redlock:floor:{k}"));
			assertThat(before + ttl).isLessThan(passed + 15_000);
			assertThat(System.currentTimeMillis() + ttl).isGreaterThanOrEqualTo(passed);
		}
	}

	/** The other nodes cannot be reached. */
	private void only(int... reachable) {
		for (int i = 0; i < this.nodes.size(); i++) {
			int node = i;
			this.nodes.get(i).unreachable = Arrays.stream(reachable).noneMatch((each) -> each == node);
		}
	}

	private static long aheadMicros(Duration ahead) {
		return (System.currentTimeMillis() + ahead.toMillis()) * 1000;
	}

	@Test
	void aVerdictOverNoAnswersFails() {
		Quorum quorum = new Quorum(List.of(),
				new RedlockSettings("distlock:", Duration.ofSeconds(1), Duration.ofSeconds(30), 17), TimeSource.SYSTEM,
				RandomGenerator.getDefault());
		CompletableFuture<Boolean> verdict = quorum.decide("release", "key", List.of(), quorum::agreed);
		assertThat(verdict).failsWithin(Duration.ofSeconds(5))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockBackendException.class)
			.withMessageContaining("release of lock 'key'");
	}

}
