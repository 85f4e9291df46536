package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import static io.github.distlock.backend.redlock.RedlockParticipant.LEASE;
import static io.github.distlock.backend.redlock.RedlockParticipant.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Claims that win no majority, or win it too late, are undone on all nodes, even on those
 * that did not answer.
 */
class PartialGrantTests extends FiveNodes {

	private static final String OTHERS = "+other:1#1|1|1";

	@BeforeEach
	void openConnections() {
		this.one.tokenOf("warm");
	}

	@Test
	void aMinorityIsReleasedAndTheTicketWaits() {
		for (int node : new int[] { 1, 2, 4 }) {
			cluster.setWord(node, "k", OTHERS);
		}
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
		for (int node : new int[] { 1, 2, 4 }) {
			cluster.setWord(node, "k", OTHERS);
		}
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
		for (int node = 0; node < 5; node++) {
			cluster.setWord(node, "k", OTHERS);
		}
		Ticket ticket = this.one.ticket("k");
		await().until(() -> {
			this.one.attempt(ticket, LEASE, true);
			return cluster.queued("k") == 1;
		});
		for (int node = 0; node < 5; node++) {
			cluster.ask(node, "DEL distlock:redlock:lock:{k}");
		}
		assertThat(this.one.attempt(ticket, LEASE, true)).isInstanceOf(Grant.class);
		await().atMost(LEASE.dividedBy(2)).until(() -> cluster.queued("k") == 0);
	}

}
