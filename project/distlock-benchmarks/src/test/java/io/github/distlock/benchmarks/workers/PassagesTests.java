package io.github.distlock.benchmarks.workers;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.benchmarks.workers.Passages.Passage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who overtook whom.
 */
class PassagesTests {

	@Test
	void nobodyOvertakesInOrderOfArrival() {
		assertThat(passages(0, 10_000, 5_000, 11_000, 8_000, 12_000).overtaking(1)).isZero();
	}

	@Test
	void oneThatAskedLaterAndEnteredEarlierHasOvertaken() {
		assertThat(passages(5_000, 9_000, 0, 10_000, 9_500, 11_000, 9_600, 12_000).overtaking(1)).isEqualTo(0.25);
	}

	@Test
	void thoseThatEnterTogetherDoNotOvertakeEachOther() {
		Passages together = passages(5_000, 9_000, 8_000, 9_100, 0, 9_200, 9_000, 10_000);
		assertThat(together.overtaking(1)).isEqualTo(0.5);
		assertThat(together.overtaking(2)).isEqualTo(0.25);
		assertThat(together.overtaking(3)).isZero();
	}

	@Test
	void lessThanAMillisecondIsNoise() {
		assertThat(passages(900, 9_000, 0, 10_000).overtaking(1)).isZero();
	}

	@Test
	void onlyWhatEveryWorkerWroteDownIsCompared() {
		Passages full = new Passages(List.of(new Passage(5_000, 6_000), new Passage(6_500, 7_000)), 7_000);
		Passages rest = passages(0, 6_500, 0, 8_000);
		Passages all = Passages.of(List.of(full, rest));
		assertThat(all.until()).isEqualTo(7_000);
		assertThat(all.overtaking(1)).isEqualTo(1.0 / 3);
		assertThat(Passages.decode(all.encode())).isEqualTo(all);
	}

	private static Passages passages(long... askedAndEntered) {
		List<Passage> list = new ArrayList<>();
		for (int i = 0; i < askedAndEntered.length; i += 2) {
			list.add(new Passage(askedAndEntered[i], askedAndEntered[i + 1]));
		}
		return new Passages(list, Long.MAX_VALUE);
	}

}
