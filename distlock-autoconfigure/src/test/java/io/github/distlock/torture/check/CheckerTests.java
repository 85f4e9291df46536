package io.github.distlock.torture.check;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The safety rules, on histories that they must accept and histories that they must
 * reject.
 */
class CheckerTests {

	private final TestHistory history = new TestHistory();

	@Test
	void oneAfterTheOtherIsAccepted() {
		this.history.stays("w0", 1, 0, 50, 10).stays("w1", 1, 51, 90, 11).stays("w0", 2, 95, 2000, 12);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void severalEntriesUnderOneGrantAreAccepted() {
		this.history.stays("w0", 1, 0, 50, 10).stays("w0", 2, 51, 90, 11).stays("w0", 3, 91, 120, 12);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void twoAtTheSameTimeAreRejected() {
		this.history.stays("w0", 1, 0, 50, 10).stays("w1", 1, 49, 90, 11);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void twoKeysAtTheSameTimeAreTwoLocks() {
		this.history.stays("w0", 1, 0, 50, 10)
			.add("w1 10 START a=1 key=other lease=1000")
			.add("w1 10 GRANTED a=1 token=11 rem=1000");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aLongStayThatOverlapsWithLaterOnesIsRejected() {
		this.history.stays("w0", 1, 0, 500, 10).stays("w1", 1, 100, 110, 11).stays("w2", 1, 120, 130, 12);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void twoAtTheSameTimeAreAcceptedAfterTheStoreLostItsData() {
		this.history.stays("w0", 1, 0, 50, 10).losesData(20).stays("w1", 1, 30, 90, 11);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aLockThatWasLostMayStillBePassedOnInsideItsJvm() {
		this.history.stays("w0", 1, 0, 40, 10).losesData(20).stays("w1", 1, 30, 90, 50);
		this.history.waits("w0", 2, 25).enters("w0", 2, 41, 11).leaves("w0", 2, 60, "lost");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aGrantAfterTheLossExcludesAllLaterOnes() {
		this.history.stays("w0", 1, 0, 19, 10).losesData(20).stays("w1", 1, 30, 90, 50);
		this.history.waits("w0", 2, 25).enters("w0", 2, 41, 51).leaves("w0", 2, 60, "ok");
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void dataThatWasLostBeforeTheFirstOrAfterTheSecondExcusesNothing() {
		this.history.losesData(-5).stays("w0", 1, 0, 50, 10).stays("w1", 1, 30, 90, 11).losesData(40);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aHolderPastItsDeadlineDoesNotExcludeOthers() {
		this.history.waits("w0", 1, 0).enters("w0", 1, 0, 10).stays("w1", 1, 1100, 1200, 11);
		this.history.leaves("w0", 1, 1500, "lost");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aHolderWhoseLeaseWasRenewedExcludesOthers() {
		this.history.waits("w0", 1, 0).enters("w0", 1, 0, 10).add("w0 900 CHECK a=1 rem=800");
		this.history.stays("w1", 1, 1100, 1200, 11).leaves("w0", 1, 1500, "lost");
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aReleaseWithoutComplaintSaysThatTheLockWasHeldUntilThen() {
		this.history.waits("w0", 1, 0).enters("w0", 1, 0, 10).stays("w1", 1, 1100, 1200, 11);
		this.history.leaves("w0", 1, 1500, "ok");
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aHolderThatWasKilledKeepsTheLockForItsLease() {
		this.history.waits("w0", 1, 0).enters("w0", 1, 0, 10).dies("w0", 20).stays("w1", 1, 500, 600, 11);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aTokenThatIsNotHigherIsRejected() {
		this.history.stays("w0", 1, 0, 50, 10).stays("w1", 1, 60, 90, 10);
		assertThat(this.history.broken()).containsExactly("S2");
	}

	@Test
	void anOlderHolderMayEnterLateAfterTheStoreLostItsData() {
		this.history.waits("w0", 1, 0).losesData(10).stays("w1", 1, 20, 30, 11).enters("w0", 1, 40, 10);
		this.history.leaves("w0", 1, 50, "lost");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aTokenThatIsGrantedTwiceIsRejectedEvenAfterALoss() {
		this.history.waits("w0", 1, 0).losesData(10).stays("w1", 1, 20, 30, 11).enters("w0", 1, 40, 11);
		this.history.leaves("w0", 1, 50, "lost");
		assertThat(this.history.broken()).containsExactly("S2");
	}

	@Test
	void aTokenLowerThanBeforeIsRejectedForALaterCallAfterTheLoss() {
		this.history.stays("w0", 1, 0, 15, 11).losesData(20).stays("w1", 1, 25, 40, 10);
		assertThat(this.history.broken()).containsExactly("S2");
	}

	@Test
	void aResourceThatAcceptsAnOlderTokenAfterANewerOneIsRejected() {
		this.history.add("resource 10 ACCESS key=k token=11 attempt=w1#1 op=read ok=true")
			.add("resource 20 ACCESS key=k token=10 attempt=w0#1 op=write ok=true");
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aResourceThatRefusesAnOlderTokenIsAccepted() {
		this.history.add("resource 10 ACCESS key=k token=11 attempt=w1#1 op=read ok=true")
			.add("resource 20 ACCESS key=k token=10 attempt=w0#1 op=write ok=false");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aHolderThatIsRefusedAlthoughItsLockIsGuaranteedIsRejected() {
		this.history.stays("w0", 1, 0, 50, 10)
			.add("resource 10 ACCESS key=k token=11 attempt=w9#1 op=read ok=true")
			.add("resource 20 ACCESS key=k token=10 attempt=w0#1 op=write ok=false");
		assertThat(this.history.broken()).containsExactly("S2");
	}

	@Test
	void aHolderThatIsRefusedWhenItsDeadlineHasPassedIsAccepted() {
		this.history.waits("w0", 1, 0)
			.enters("w0", 1, 0, 10)
			.add("resource 1010 ACCESS key=k token=11 attempt=w9#1 op=read ok=true")
			.add("resource 1020 ACCESS key=k token=10 attempt=w0#1 op=write ok=false")
			.leaves("w0", 1, 1100, "lost");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aHolderThatIsRobbedIsRejected() {
		this.history.waits("w0", 1, 0)
			.enters("w0", 1, 0, 10)
			.add("w0 300 LOST key=k token=10 reason=the_store_no_longer_knows_it")
			.leaves("w0", 1, 400, "lost");
		assertThat(this.history.broken()).containsExactly("S3");
	}

	@Test
	void aHolderWhoseLeaseHasPassedWasNotRobbed() {
		this.history.waits("w0", 1, 0)
			.enters("w0", 1, 0, 10)
			.add("w0 1010 LOST key=k token=10 reason=the_store_no_longer_knows_it")
			.leaves("w0", 1, 1400, "lost");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aHolderThatLostItsLockWithTheDataWasNotRobbed() {
		this.history.waits("w0", 1, 0)
			.enters("w0", 1, 0, 10)
			.losesData(200)
			.add("w0 300 LOST key=k token=10 reason=the_store_no_longer_knows_it")
			.leaves("w0", 1, 400, "lost");
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aCallThatEndedAndThenHoldsIsRejected() {
		this.history.waits("w0", 1, 0).add("w0 10 ENDED a=1 how=timeout").enters("w0", 1, 20, 10);
		this.history.leaves("w0", 1, 30, "ok");
		assertThat(this.history.broken()).containsExactly("S5");
	}

	@Test
	void anUnlockOfWhatIsNotHeldMustThrow() {
		this.history.add("w0 10 UNHELD key=k what=again threw=IllegalMonitorStateException");
		assertThat(this.history.broken()).isEmpty();
		this.history.add("w0 20 UNHELD key=k what=again threw=ok");
		assertThat(this.history.broken()).containsExactly("S6");
	}

}
