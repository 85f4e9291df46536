package io.github.distlock.torture.check;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules for readers and writers, on histories that they must accept and histories
 * that they must reject.
 */
class ReaderRulesTests {

	private final TestHistory history = new TestHistory();

	@Test
	void readersTogetherAreAccepted() {
		this.history.reads("w0", 1, 0, 50, 10).reads("w1", 1, 10, 90, 11).reads("w1", 2, 10, 20, 12);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aWriterBesideAReaderIsNot() {
		this.history.reads("w0", 1, 0, 50, 10).stays("w1", 1, 49, 90, 11);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aReaderBesideAWriterIsNot() {
		this.history.stays("w0", 1, 0, 50, 10).reads("w1", 1, 49, 90, 11);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void twoWritersAfterReadersAreNot() {
		this.history.reads("w0", 1, 0, 50, 10)
			.reads("w1", 1, 10, 40, 11)
			.stays("w1", 2, 60, 90, 12)
			.stays("w0", 2, 80, 100, 13);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aWriterBesideTheLongestOfSeveralReadersIsNot() {
		this.history.reads("w0", 1, 0, 500, 10).reads("w1", 1, 10, 40, 11).stays("w1", 2, 60, 90, 12);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aDeadReaderKeepsWritersOutForItsLeaseAndNoLonger() {
		this.history.waitsToRead("w0", 1, 0).enters("w0", 1, 0, 10).dies("w0", 20).reads("w1", 1, 30, 2000, 11);
		this.history.stays("w2", 1, 2001, 2050, 12);
		assertThat(this.history.broken()).isEmpty();
		this.history.waitsToRead("w3", 1, 2060).enters("w3", 1, 2060, 13).dies("w3", 2100);
		this.history.stays("w2", 2, 2900, 2950, 14);
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aWriterMustEnterSoonAfterTheLeaseOfADeadReader() {
		this.history.waitsToRead("w0", 1, 0).enters("w0", 1, 0, 10).dies("w0", 500).waits("w1", 1, 40).until(8000);
		assertThat(this.history.broken()).isEmpty();
		this.history.until(9000);
		assertThat(this.history.broken()).containsExactly("L1");
	}

	@Test
	void readersMayEnterInAnyOrderOfTheirTokensButNotBeforeAnEarlierWriter() {
		this.history.stays("w9", 1, -20, -10, 9).reads("w0", 1, 0, 50, 11).reads("w1", 1, 10, 40, 10);
		assertThat(this.history.broken()).isEmpty();
		this.history.reads("w1", 2, 60, 70, 8);
		assertThat(this.history.broken()).containsExactly("S2");
	}

	@Test
	void aWriterNeedsAHigherTokenThanTheReadersBefore() {
		this.history.reads("w0", 1, 0, 50, 11).reads("w1", 1, 10, 40, 10).stays("w1", 2, 60, 90, 11);
		assertThat(this.history.broken()).containsExactly("S2");
	}

	@Test
	void noTwoReadersHaveOneToken() {
		this.history.reads("w0", 1, 0, 50, 10).reads("w1", 1, 10, 40, 10);
		assertThat(this.history.broken()).containsExactly("S2");
	}

	@Test
	void theResourceLetsReadersInInAnyOrderAndRefusesThemAfterALaterWriter() {
		this.history.add("resource 10 ACCESS key=k token=12 attempt=w1#1 op=look ok=true")
			.add("resource 20 ACCESS key=k token=11 attempt=w0#1 op=look ok=true")
			.add("resource 30 ACCESS key=k token=13 attempt=w2#1 op=write ok=true")
			.add("resource 40 ACCESS key=k token=12 attempt=w1#1 op=look ok=false");
		assertThat(this.history.broken()).isEmpty();
		this.history.add("resource 50 ACCESS key=k token=11 attempt=w0#1 op=look ok=true");
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aResourceThatLetsAWriterWriteAfterALaterReaderIsRejected() {
		this.history.add("resource 10 ACCESS key=k token=12 attempt=w1#1 op=look ok=true")
			.add("resource 20 ACCESS key=k token=11 attempt=w0#1 op=write ok=true");
		assertThat(this.history.broken()).containsExactly("S1");
	}

	@Test
	void aReaderWhoIsRefusedAlthoughItsLockIsGuaranteedIsRejected() {
		this.history.reads("w0", 1, 0, 50, 10)
			.add("resource 10 ACCESS key=k token=11 attempt=w9#1 op=write ok=true")
			.add("resource 20 ACCESS key=k token=10 attempt=w0#1 op=look ok=false");
		assertThat(this.history.broken()).containsExactly("S2");
	}

	@Test
	void manyReadersOfWhomNoTwoAreInsideTogetherAreNotAccepted() {
		for (int i = 0; i < 100; i++) {
			this.history.reads("w0", i, i * 10, i * 10 + 9, i + 1);
		}
		assertThat(this.history.broken()).containsExactly("R1");
		this.history.reads("w1", 1, 990, 999, 1000);
		assertThat(this.history.broken()).isEmpty();
	}

	@Test
	void aWriterThatManyLaterReadersOvertakeIsRejected() {
		this.history.reads("w0", 0, 0, 40, 1).waits("w9", 1, 5);
		for (int i = 1; i < 66; i++) {
			this.history.reads("w0", i, i * 10, i * 10 + 30, i + 1);
		}
		this.history.enters("w9", 1, 700, 1000).leaves("w9", 1, 710, "ok");
		assertThat(this.history.broken()).containsExactly("R2");
	}

}
