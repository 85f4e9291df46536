package io.github.distlock.torture.check;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The liveness rules and the rules for remaining data, on histories that they must accept
 * and histories that they must reject.
 */
class LivenessRulesTests {

	private static final String OWNED = "STORE key=k owner=jvm:1 last=26";

	private static final String FREE = "STORE key=k owner= last=26";

	private final TestHistory history = new TestHistory();

	@Test
	void aLockThatStaysFreeWhileACallerWaitsIsRejected() {
		this.history.stays("w0", 1, 0, 50, 10).waits("w1", 1, 40).until(9000);
		assertThat(this.history.broken()).containsExactly("L1");
	}

	@Test
	void aWaitForAHolderIsAccepted() {
		this.history.waits("w0", 1, 0).enters("w0", 1, 0, 10).waits("w1", 1, 40);
		for (int i = 1; i < 30; i++) {
			this.history.add("w0 " + i * 900 + " CHECK a=1 rem=1000");
		}
		this.history.leaves("w0", 1, 27_000, "ok").enters("w1", 1, 27_001, 11).leaves("w1", 1, 27_010, "ok");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void anEntryWithinTheBoundIsAccepted() {
		this.history.stays("w0", 1, 0, 50, 10).waits("w1", 1, 40).enters("w1", 1, 5000, 11);
		this.history.leaves("w1", 1, 5010, "ok").until(20_000);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void shortWaitsOneAfterTheOtherAreAsBadAsALongOne() {
		this.history.stays("w0", 1, 0, 50, 10);
		for (int i = 1; i < 100; i++) {
			this.history.waits("w1", i, i * 100).add("w1 " + (i * 100 + 150) + " ENDED a=" + i + " how=timeout");
		}
		assertThat(this.history.broken()).containsExactly("L1");
	}

	@Test
	void theClockStandsStillWhileTheStoreIsAway() {
		this.history.stays("w0", 1, 0, 50, 10).waits("w1", 1, 40).fault("STALL", "all", 1000, 6000).until(9000);
		assertThat(this.history.broken()).isEmpty();
		this.history.until(15_000);
		assertThat(this.history.broken()).containsExactly("L1");
	}

	@Test
	void aWaiterThatDiesWaitsNoLonger() {
		this.history.stays("w0", 1, 0, 50, 10).waits("w1", 1, 40).dies("w1", 5000).until(20_000);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void theLeaseOfADeadHolderIsWaitedForAndNoLonger() {
		this.history.waits("w0", 1, 0).enters("w0", 1, 0, 10).dies("w0", 500).waits("w1", 1, 40).until(8000);
		assertThat(this.history.broken()).isEmpty();
		this.history.until(9000);
		assertThat(this.history.broken()).containsExactly("L1");
	}

	@Test
	void theLeaseOfACallerThatGaveUpSoonBeforeItsJvmDiedIsWaitedForAndNoLonger() {
		this.history.waits("w0", 1, 0)
			.add("w0 30 ENDED a=1 how=timeout")
			.dies("w0", 500)
			.waits("w1", 1, 40)
			.until(8500);
		assertThat(this.history.broken()).isEmpty();
		this.history.until(9000);
		assertThat(this.history.broken()).containsExactly("L1");
	}

	@Test
	void aCallerThatGaveUpLongBeforeItsJvmDiedHasNoLease() {
		this.history.waits("w0", 1, 0)
			.add("w0 30 ENDED a=1 how=timeout")
			.dies("w0", 3100)
			.waits("w1", 1, 40)
			.until(8500);
		assertThat(this.history.broken()).containsExactly("L1");
	}

	@Test
	void aReleaseThatDidNotCountIsRejected() {
		this.history.stays("w0", 1, 0, 50, 10).add("store 20 " + OWNED).until(9000);
		assertThat(this.history.broken()).containsExactly("S4");
	}

	@Test
	void aReleaseThatCountsIsAccepted() {
		this.history.stays("w0", 1, 0, 50, 10).add("store 20 " + OWNED).add("store 120 " + FREE).until(9000);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aHolderThatIsInsideIsNoGhost() {
		this.history.waits("w0", 1, 0).enters("w0", 1, 0, 10).add("store 20 " + OWNED).until(9000);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void anOwnerThatNeverEnteredIsRejected() {
		this.history.stays("w0", 1, 0, 50, 10)
			.add("store 20 " + OWNED)
			.add("store 120 STORE key=k owner=jvm:2 last=99")
			.until(9000);
		assertThat(this.history.broken()).containsExactly("S5");
	}

	@Test
	void anOwnerThatIsDeadIsLeftToItsLease() {
		this.history.stays("w0", 1, 0, 50, 10)
			.add("store 20 " + OWNED)
			.add("store 120 STORE key=k owner=jvm:2 last=99")
			.dies("w0", 130)
			.until(9000);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void theJvmsOfOneHostAreToldApart() {
		this.history.stays("w0", 1, 0, 50, 10)
			.add("store 20 STORE key=k owner=shop@host:7:a:1 last=26")
			.add("store 60 " + FREE)
			.dies("w0", 130)
			.stays("w1", 1, 200, 250, 60)
			.add("store 220 STORE key=k owner=shop@host:8:b:1 last=76")
			.add("store 300 STORE key=k owner=shop@host:7:a:2 last=99")
			.until(9000);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void nothingMayRemainInTheStore() {
		this.history.stays("w0", 1, 0, 50, 10).add("w0 100 IDLE idle=true threads=0");
		this.history.add("store 200 LEFT_OVER names=none");
		assertThat(this.history.broken()).isEmpty();
		this.history.add("store 300 LEFT_OVER names=[distlock:lock:{k}]");
		assertThat(this.history.broken()).containsExactly("S7");
	}

	@Test
	void aJvmThatDoesNotComeToRestIsRejected() {
		this.history.add("w0 100 IDLE idle=false threads=0").add("store 200 LEFT_OVER names=none");
		assertThat(this.history.broken()).containsExactly("S7");
	}

	@Test
	void aJvmThatDoesNotStopIsRejected() {
		this.history.stays("w0", 1, 0, 50, 10).add("store 200 LEFT_OVER names=none");
		assertThat(this.history.broken()).containsExactly("S7");
	}

	@Test
	void aJvmThatIsPassedOverForTooLongIsRejected() {
		overtake(19);
		assertThat(this.history.broken()).containsExactly("S8");
	}

	@Test
	void aJvmThatWaitsForOneTurnOfAnotherIsAccepted() {
		overtake(18);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void overtakingDoesNotCountDuringAFault() {
		this.history.fault("CUT", "w1", 5, 6);
		overtake(40);
		assertThat(this.history.broken()).isEmpty();
	}

	private void overtake(int times) {
		this.history.waits("w1", 1, 0);
		for (int i = 1; i <= times; i++) {
			this.history.stays("w0", i, i * 10, i * 10 + 5, i);
		}
		this.history.enters("w1", 1, times * 10 + 10, 1000).leaves("w1", 1, times * 10 + 15, "ok");
	}

}
