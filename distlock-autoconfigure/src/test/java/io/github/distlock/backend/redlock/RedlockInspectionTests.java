package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static io.github.distlock.backend.redlock.RedlockParticipant.LEASE;
import static io.github.distlock.backend.redlock.RedlockParticipant.TIMEOUT;
import static io.github.distlock.backend.redlock.RedlockParticipant.TOKENS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What operators see and end if nodes are away, or have voted for different tokens.
 */
@Execution(ExecutionMode.CONCURRENT)
class RedlockInspectionTests {

	private RedlockCluster cluster;

	private RedlockParticipant one;

	private RedlockParticipant two;

	private StoreInspection operator;

	@BeforeEach
	void start() {
		this.cluster = RedlockCluster.start(3, Duration.ZERO);
		this.one = participant();
		this.two = participant();
		this.operator = this.two.inspection();
	}

	@AfterEach
	void stop() {
		this.one.close();
		this.two.close();
		this.cluster.close();
	}

	/** Nodes count at once, so that no lease ends during a test. */
	private RedlockParticipant participant() {
		return new RedlockParticipant(this.cluster.trusted(TIMEOUT), LEASE);
	}

	private StoredHolder holder() {
		List<StoredHolder> holders = this.operator.inspect("k").holders();
		assertThat(holders).hasSize(1);
		return holders.get(0);
	}

	@Test
	void allNodesVoteForTheSameTokenAlsoInTheFirstRound() {
		this.one.proposeAhead();
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		await().until(() -> this.cluster.holders("k") == 3);
		assertThat(IntStream.range(0, 3).mapToObj((node) -> this.cluster.word(node, "k")))
			.allMatch((word) -> word.endsWith("|" + TOKENS + "|" + grant.firstToken()));
	}

	@Test
	void theLocationNamesAllNodesAndThePrefix() {
		assertThat(this.two.store.location()).matches(
				"Redlock over 3 Redis nodes at 127.0.0.1:\\d+, 127.0.0.1:\\d+, 127.0.0.1:\\d+, prefix 'distlock:'");
	}

	@Test
	void theChannelIsSubscribedWhileAMajorityOfTheInboxesIs() {
		await().untilAsserted(() -> assertThat(this.two.store.channel()).isEqualTo("subscribed"));
		this.cluster.stop(0);
		await().untilAsserted(() -> assertThat(this.two.store.channel()).isEqualTo("subscribed"));
		this.cluster.stop(1);
		await().untilAsserted(() -> assertThat(this.two.store.channel()).isEqualTo("polling"));
	}

	@Test
	void aLockIsShownAndEndedWhileOneNodeIsAway() {
		this.one.proposeAhead();
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		this.cluster.stop(2);
		StoredHolder held = holder();
		assertThat(held.instance()).isEqualTo(this.one.instance());
		assertThat(held.grantToken()).isEqualTo(grant.firstToken());
		assertThat(held.ttl()).isPositive().isLessThanOrEqualTo(LEASE);
		assertThat(this.operator.end("k", grant.firstToken() + 1)).isEqualTo(EndResult.CHANGED);
		assertThat(this.operator.end("k", held.grantToken())).isEqualTo(EndResult.ENDED);
		assertThat(this.operator.inspect("k").holders()).isEmpty();
		assertThat(this.two.tokenOf("k")).isGreaterThan(grant.lastToken());
	}

	@Test
	void aNodeThatHangsDelaysInspectionAndEndByItsTimeoutOnly() {
		this.one.proposeAhead();
		Ticket ticket = this.one.ticket("k");
		Grant grant = this.one.take(ticket, LEASE);
		await().until(() -> this.cluster.holders("k") == 3);
		try (RedlockParticipant hasty = new RedlockParticipant(this.cluster.trusted(Duration.ofSeconds(5)), LEASE)) {
			this.cluster.stall(1);
			assertThat(hasty.inspection().end("k", grant.firstToken())).isEqualTo(EndResult.ENDED);
		}
		this.cluster.resume();
		// The command has arrived there, or the former holder leaves it.
		assertThat(this.one.release(ticket, 0)).isFalse();
		await().until(() -> this.cluster.holders("k") == 0);
	}

	@Test
	void withoutAMajorityAnOperatorReadsWhichNodesFailed() {
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		this.cluster.stop(0);
		this.cluster.stop(2);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.operator.inspect("k"))
			.withMessageContaining("2 are needed")
			.withMessageMatching("(?s).*127.0.0.1:\\d+.*127.0.0.1:\\d+.*");
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.operator.end("k", grant.firstToken()))
			.withMessageContaining("2 are needed");
	}

	@Test
	void aClaimThatOnlyAMinorityHoldsIsNoHolder() {
		this.cluster.setWord(1, "k", "+other:1#1|17|1");
		assertThat(this.operator.inspect("k").holders()).isEmpty();
		assertThat(this.operator.end("k", 1)).isEqualTo(EndResult.NOT_HELD);
	}

	@Test
	void aGrantWhoseNodesVotedForDifferentTokensIsNamedByEachOfThem() {
		long ahead = (System.currentTimeMillis() + LEASE.toMillis() / 3) * 1000;
		this.cluster.setWord(0, "k", "|" + ahead);
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		await().until(() -> this.cluster.holders("k") == 3);
		List<Long> votes = IntStream.range(0, 3)
			.mapToObj((node) -> Long.parseLong(this.cluster.word(node, "k").split("\\|")[2]))
			.toList();
		assertThat(votes).contains(grant.firstToken(), ahead + 1);
		assertThat(holder().grantToken()).isIn(votes);
		assertThat(this.operator.end("k", holder().grantToken())).isEqualTo(EndResult.ENDED);
		assertThat(this.two.tokenOf("k")).isGreaterThan(grant.lastToken());
	}

	@Test
	void theNextTokenIsHigherAlsoIfTheNodeThatVotedHighestIsAway() {
		long ahead = (System.currentTimeMillis() + LEASE.toMillis() / 3) * 1000;
		this.cluster.setWord(0, "k", "|" + ahead);
		// The third node is away: the vote of the first one counts.
		this.cluster.stop(2);
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		assertThat(grant.firstToken()).isGreaterThan(ahead);
		this.cluster.startEmpty(2);
		this.cluster.awaitUptime(Duration.ZERO);
		this.cluster.stop(0);
		assertThat(this.operator.end("k", holder().grantToken())).isEqualTo(EndResult.ENDED);
		assertThat(Long.parseLong(this.cluster.floor(1, "k"))).isGreaterThanOrEqualTo(grant.lastToken());
	}

	@Test
	void aForgedMessageAboutTheTicketOfAnotherInstanceRemovesItFromNoQueue() {
		this.one.take(this.one.ticket("k"), LEASE);
		Ticket waiter = this.two.ticket("k");
		await().until(() -> {
			this.two.attempt(waiter, LEASE, true);
			return this.cluster.queued("k") == 1;
		});
		for (int node = 0; node < 3; node++) {
			this.cluster.ask(node, "PUBLISH distlock:redlock:inbox:" + this.one.instance() + " " + waiter.token()
					+ "|1|1|1|1|distlock:redlock:lock:{k}");
		}
		// What the messages made it send is sent before.
		this.one.store.verify();
		this.one.store.verify();
		assertThat(this.cluster.queued("k")).isEqualTo(1);
	}

}
