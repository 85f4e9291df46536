package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.Arrays;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import org.junit.jupiter.api.Test;

import static io.github.distlock.backend.redlock.RedlockParticipant.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tokens rise although each time another majority grants, and some nodes are far ahead:
 * their floor is set as if their clock was ahead.
 */
class FencingTests extends FiveNodes {

	private static final Duration AHEAD = Duration.ofHours(5);

	@Test
	void tokensRiseWhenTheNodeThatWasAheadIsUnreachableLater() {
		long far = aheadMicros(AHEAD);
		cluster.setWord(0, "k", "|" + far);
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
			cluster.setWord(0, "k" + i, "|" + ahead);
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
		cluster.setWord(0, "k", "|" + far);
		only(0, 1, 2);
		Grant expired = this.one.take(this.one.ticket("k"), LEASE);
		assertThat(expired.firstToken()).isGreaterThan(far);
		assertThat(this.nodes.stream().mapToInt((node) -> node.raises.get()).sum()).isPositive();
		for (int node = 0; node < 3; node++) {
			cluster.ask(node, "PEXPIRE distlock:redlock:lock:{k} 1");
		}
		only(1, 3, 4);
		await().until(() -> cluster.holders("k") == 0);
		assertThat(this.one.tokenOf("k")).isGreaterThan(expired.lastToken());
	}

	@Test
	void aFailedClaimDoesNotRemoveTheFloor() {
		long far = aheadMicros(AHEAD);
		for (int node : new int[] { 0, 1, 2 }) {
			cluster.setWord(node, "k", "|" + far);
		}
		// A claim that only a minority gets, and that is not undone: it expires.
		only(0, 1);
		this.nodes.forEach((node) -> node.losesReleases = true);
		this.nodes.get(2).votesLost = true;
		assertThat(catchAttempt(Duration.ofMillis(200))).isFalse();
		this.nodes.forEach((node) -> node.losesReleases = false);
		await().until(() -> cluster.holders("k") == 0);
		only(1, 3, 4);
		assertThat(this.one.tokenOf("k")).isGreaterThan(far);
	}

	@Test
	void aFloorStaysUntilTheClockHasPassedItAndNothingElseIsLeft() {
		long far = aheadMicros(AHEAD);
		cluster.setWord(0, "k", "|" + far);
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

	private boolean catchAttempt(Duration lease) {
		try {
			return this.one.takes(this.one.ticket("k"), lease);
		}
		catch (RuntimeException ex) {
			return false;
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

}
