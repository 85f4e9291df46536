package io.github.distlock.backend.redlock;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.distlock.backend.redlock.RedlockParticipant.LEASE;
import static io.github.distlock.backend.redlock.RedlockParticipant.TIMEOUT;
import static io.github.distlock.backend.redlock.RedlockParticipant.TOKENS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Nodes that are stopped, that hang, and that restart without their data; and what
 * operators see and end if nodes are away, or have voted for different tokens.
 */
@Execution(ExecutionMode.CONCURRENT)
class NodeLossTests {

	/**
	 * After that long a node counts for a JVM without trust, whose leases are no longer.
	 */
	private static final Duration UPTIME = Duration.ofSeconds(10);

	/** Tests with as many nodes, of what operators see and end. */
	private static final String THREE_NODES = "three-nodes";

	private RedlockCluster cluster;

	private final List<RedlockParticipant> participants = new ArrayList<>();

	private RedlockParticipant one;

	private RedlockParticipant two;

	@BeforeEach
	void start(TestInfo test) {
		this.cluster = new RedlockCluster(test.getTags().contains(THREE_NODES) ? 3 : 5);
		this.one = participant(this.cluster.trusted(TIMEOUT), LEASE);
		this.two = participant(this.cluster.trusted(TIMEOUT), LEASE);
	}

	private RedlockParticipant participant(List<? extends QuorumNode> nodes, Duration longestLease) {
		RedlockParticipant participant = new RedlockParticipant(nodes, longestLease);
		this.participants.add(participant);
		return participant;
	}

	/** One for which the nodes count now, but not again soon after a restart. */
	private RedlockParticipant strict() {
		return participant(this.cluster.nodes(TIMEOUT), UPTIME);
	}

	@AfterEach
	void stop() {
		this.participants.forEach(RedlockParticipant::close);
		this.cluster.close();
	}

	@Test
	void locksWorkWithTwoOfFiveNodesStopped() {
		Ticket held = this.one.ticket("k");
		Grant grant = this.one.take(held, LEASE);
		this.cluster.stop(0, 3);
		assertThat(this.one.renew(held, grant, LEASE)).isInstanceOf(RenewalResult.Extended.class);
		assertThat(this.two.takes(this.two.ticket("k"), LEASE)).isFalse();
		assertThat(this.one.release(held, 0)).isTrue();
		assertThat(this.two.tokenOf("k")).isGreaterThan(grant.firstToken());
		this.one.store.verify();
	}

	@Test
	void noVerbWaitsForNodesThatHangAndEachStageEnds() {
		RedlockParticipant hasty = participant(this.cluster.trusted(Duration.ofSeconds(10)), LEASE);
		Ticket held = hasty.ticket("k");
		Grant grant = hasty.take(held, LEASE);
		this.cluster.stall(0, 2, 4);
		List<CompletableFuture<?>> answers = Stream
			.<CompletionStage<?>>of(hasty.store.attempt(hasty.ticket("other"), LEASE, true),
					hasty.store.renew(List.of(new Renewal(held, grant.lastToken(), LEASE))),
					hasty.store.release(held, 0, null), hasty.store.cancel(held))
			.<CompletableFuture<?>>map(CompletionStage::toCompletableFuture)
			.toList();
		assertThat(answers).noneMatch(CompletableFuture::isDone);
		answers.forEach((answer) -> await().atMost(Duration.ofMinutes(1)).until(answer::isDone));
		assertThat(answers.get(0)).isCompletedExceptionally();
	}

	@Test
	void attemptsFailAsStoreErrorsWithThreeOfFiveNodesStopped() {
		Ticket held = this.one.ticket("k");
		Grant grant = this.one.take(held, LEASE);
		this.cluster.stop(0, 2, 4);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.two.attempt(this.two.ticket("other"), LEASE, true))
			.withMessageContaining("distlock.redlock.nodes");
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.one.release(held, 0));
		assertThat(this.one.renew(held, grant, LEASE)).isInstanceOf(RenewalResult.Gone.class);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.one.store::verify);
		// The claims on a minority are released.
		await().until(() -> this.cluster.holders("other") == 0);
	}

	@Test
	void commandsDoNotWaitForNodesThatHang() {
		// Scripts are loaded and connections are open.
		this.one.tokenOf("k");
		this.two.tokenOf("k");
		this.cluster.stall(1, 2);
		await("less time than one command to a node that hangs").until(() -> {
			long start = System.nanoTime();
			long token = this.one.tokenOf("k");
			assertThat(this.two.tokenOf("k")).isGreaterThan(token);
			return System.nanoTime() - start < TIMEOUT.toNanos();
		});
	}

	@Test
	void aClaimThatHangsInANodeIsUndoneWhenTheNodeResumes() {
		this.one.tokenOf("k");
		long before = this.cluster.scripts(1);
		this.cluster.stall(1);
		Ticket ticket = this.one.ticket("k");
		this.one.take(ticket, LEASE);
		assertThat(this.one.release(ticket, 0)).isTrue();
		this.cluster.resume();
		await().atMost(LEASE.dividedBy(2))
			.until(() -> this.cluster.scripts(1) > before + 1 && this.cluster.holders("k") == 0);
	}

	@Test
	void aNodeThatRestartedEmptyUnderAHeldLockLetsNoSecondHolderIn() {
		RedlockParticipant first = strict();
		RedlockParticipant next = strict();
		// Held by three, since two are away: 0, 1 and 2.
		this.cluster.stop(3, 4);
		Grant grant = first.take(first.ticket("k"), UPTIME);
		this.cluster.startEmpty(3, 4);
		this.cluster.stop(2);
		this.cluster.startEmpty(2);
		// Three nodes know nothing of the lock.
		Ticket second = next.ticket("k");
		await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).atMost(Duration.ofMinutes(1)).until(() -> {
			boolean entered = next.takesOrFails(second, UPTIME);
			boolean expired = grant.validity().hasPassed(TimeSource.SYSTEM);
			assertThat(entered && !expired).isFalse();
			return entered;
		});
	}

	@Test
	void leasesAreInDoubtAfterEachBreakAndAMajorityDecides() {
		Ticket held = this.one.ticket("k");
		Grant grant = this.one.take(held, LEASE);
		for (int node = 0; node < 3; node++) {
			this.cluster.stop(node);
			this.cluster.startEmpty(node);
			int doubts = 1 + node;
			await().until(() -> this.one.doubts.get() == doubts);
			if (node == 0) {
				assertThat(this.one.renew(held, grant, LEASE)).isInstanceOf(RenewalResult.Extended.class);
			}
		}
		assertThat(this.one.renew(held, grant, LEASE)).isInstanceOf(RenewalResult.Gone.class);
	}

	@Test
	void aKeyOfAnotherTypeCostsNoNeighbour() {
		List<Renewal> renewals = Stream.of("good", "bad")
			.map(this.one::ticket)
			.map((ticket) -> new Renewal(ticket, this.one.take(ticket, LEASE).lastToken(), LEASE))
			.toList();
		this.cluster.ask("DEL distlock:redlock:lock:{bad}");
		this.cluster.ask("LPUSH distlock:redlock:lock:{bad} other");
		List<RenewalResult> results = Answers.of(this.one.store.renew(renewals));
		assertThat(results.get(0)).isInstanceOf(RenewalResult.Extended.class);
		assertThat(results.get(1)).isInstanceOf(RenewalResult.Gone.class);
	}

	@Test
	void nodesThatHaveNotBeenUpForLongEnoughAreNamedAsTheCause() {
		List<DelegatingNode> nodes = this.cluster.trusted(TIMEOUT);
		RedlockParticipant young = participant(nodes, Duration.ofHours(1));
		nodes.forEach((node) -> node.trusted = false);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(young.store::verify)
			.withMessageContaining("distlock.redlock.longest-lease");
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> young.tokenOf("k"))
			.withMessageContaining("distlock.redlock.longest-lease");
		RedlockParticipant old = strict();
		assertThat(old.take(old.ticket("k"), UPTIME).firstToken()).isPositive();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aNodeThatHasJustSavedItsDataOrDoesNotSayWhenItDidCounts(boolean says, @TempDir Path folder) {
		RedlockParticipant strict = strict();
		this.cluster.ask(says ? "CONFIG SET dir " + folder : "ACL SETUSER locks -lastsave");
		this.cluster.ask(says ? "SAVE" : "PING");
		assertThat(strict.takes(strict.ticket("k"), UPTIME)).isTrue();
	}

	@Test
	void aLeaseThatIsLongerThanANodeMustBeUpIsRefused() {
		Duration tooLong = LEASE.plusMillis(1);
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> this.one.attempt(this.one.ticket("k"), tooLong, false))
			.withMessageContaining("distlock.redlock.longest-lease");
	}

	@Test
	void aRenewalIsNeverLongerThanANodeMustBeUp() {
		Ticket held = this.one.ticket("k");
		Grant grant = this.one.take(held, LEASE);
		assertThat(this.one.renew(held, grant, LEASE.multipliedBy(4))).isInstanceOfSatisfying(
				RenewalResult.Extended.class,
				(renewed) -> assertThat(renewed.validity().remainingNanos(TimeSource.SYSTEM)).isPositive()
					.isLessThan(LEASE.toNanos()));
	}

	private StoredHolder holder() {
		List<StoredHolder> holders = this.two.inspection().inspect("k").holders();
		assertThat(holders).hasSize(1);
		return holders.get(0);
	}

	@Test
	@Tag(THREE_NODES)
	void allNodesVoteForTheSameTokenAlsoInTheFirstRound() {
		this.one.proposeAhead();
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		await().until(() -> this.cluster.holders("k") == 3);
		assertThat(IntStream.range(0, 3).mapToObj((node) -> this.cluster.word(node, "k")))
			.allMatch((word) -> word.endsWith("|" + TOKENS + "|" + grant.firstToken()));
	}

	@Test
	@Tag(THREE_NODES)
	void theLocationNamesAllNodesAndThePrefix() {
		assertThat(this.two.store.location()).matches(
				"Redlock over 3 Redis nodes at 127.0.0.1:\\d+, 127.0.0.1:\\d+, 127.0.0.1:\\d+, prefix 'distlock:'");
	}

	@Test
	@Tag(THREE_NODES)
	void theChannelIsSubscribedWhileAMajorityOfTheInboxesIs() {
		await().untilAsserted(() -> assertThat(this.two.store.channel()).isEqualTo("subscribed"));
		this.cluster.stop(0);
		await().untilAsserted(() -> assertThat(this.two.store.channel()).isEqualTo("subscribed"));
		this.cluster.stop(1);
		await().untilAsserted(() -> assertThat(this.two.store.channel()).isEqualTo("polling"));
	}

	@Test
	@Tag(THREE_NODES)
	void aLockIsShownAndEndedWhileOneNodeIsAway() {
		this.one.proposeAhead();
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		this.cluster.stop(2);
		StoredHolder held = holder();
		assertThat(held.instance()).isEqualTo(this.one.instance());
		assertThat(held.grantToken()).isEqualTo(grant.firstToken());
		assertThat(held.ttl()).isPositive().isLessThanOrEqualTo(LEASE);
		assertThat(this.two.inspection().end("k", grant.firstToken() + 1)).isEqualTo(EndResult.CHANGED);
		assertThat(this.two.inspection().end("k", held.grantToken())).isEqualTo(EndResult.ENDED);
		assertThat(this.two.inspection().inspect("k").holders()).isEmpty();
		assertThat(this.two.tokenOf("k")).isGreaterThan(grant.lastToken());
	}

	@Test
	@Tag(THREE_NODES)
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
	@Tag(THREE_NODES)
	void withoutAMajorityAnOperatorReadsWhichNodesFailed() {
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		this.cluster.stop(0, 2);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.two.inspection().inspect("k"))
			.withMessageContaining("2 are needed")
			.withMessageMatching("(?s).*127.0.0.1:\\d+.*127.0.0.1:\\d+.*");
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.two.inspection().end("k", grant.firstToken()))
			.withMessageContaining("2 are needed");
	}

	@Test
	@Tag(THREE_NODES)
	void aClaimThatOnlyAMinorityHoldsIsNoHolder() {
		this.cluster.setWord("k", "+other:1#1|17|1", 1);
		assertThat(this.two.inspection().inspect("k").holders()).isEmpty();
		assertThat(this.two.inspection().end("k", 1)).isEqualTo(EndResult.NOT_HELD);
	}

	@Test
	@Tag(THREE_NODES)
	void aGrantWhoseNodesVotedForDifferentTokensIsNamedByEachOfThem() {
		long ahead = (System.currentTimeMillis() + LEASE.toMillis() / 3) * 1000;
		this.cluster.setWord("k", "|" + ahead, 0);
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		await().until(() -> this.cluster.holders("k") == 3);
		List<Long> votes = IntStream.range(0, 3)
			.mapToObj((node) -> Long.parseLong(this.cluster.word(node, "k").split("\\|")[2]))
			.toList();
		assertThat(votes).contains(grant.firstToken(), ahead + 1);
		assertThat(holder().grantToken()).isIn(votes);
		assertThat(this.two.inspection().end("k", holder().grantToken())).isEqualTo(EndResult.ENDED);
		assertThat(this.two.tokenOf("k")).isGreaterThan(grant.lastToken());
	}

	@Test
	@Tag(THREE_NODES)
	void theNextTokenIsHigherAlsoIfTheNodeThatVotedHighestIsAway() {
		long ahead = (System.currentTimeMillis() + LEASE.toMillis() / 3) * 1000;
		this.cluster.setWord("k", "|" + ahead, 0);
		// The third node is away: the vote of the first one counts.
		this.cluster.stop(2);
		Grant grant = this.one.take(this.one.ticket("k"), LEASE);
		assertThat(grant.firstToken()).isGreaterThan(ahead);
		this.cluster.startEmpty(2);
		this.cluster.awaitUptime();
		this.cluster.stop(0);
		assertThat(this.two.inspection().end("k", holder().grantToken())).isEqualTo(EndResult.ENDED);
		assertThat(Long.parseLong(this.cluster.floor(1, "k"))).isGreaterThanOrEqualTo(grant.lastToken());
	}

	@Test
	@Tag(THREE_NODES)
	void aForgedMessageAboutTheTicketOfAnotherInstanceRemovesItFromNoQueue() {
		this.one.take(this.one.ticket("k"), LEASE);
		Ticket waiter = this.two.ticket("k");
		await().until(() -> {
			this.two.attempt(waiter, LEASE, true);
			return this.cluster.queued("k") == 1;
		});
		this.cluster.ask("PUBLISH distlock:redlock:inbox:" + this.one.instance() + " " + waiter.token()
				+ "|1|1|1|1|distlock:redlock:lock:{k}");
		// What the messages made it send is sent before.
		this.one.store.verify();
		this.one.store.verify();
		assertThat(this.cluster.queued("k")).isEqualTo(1);
	}

}
