package io.github.distlock.benchmarks.report;

import java.util.List;
import java.util.stream.IntStream;

import io.github.distlock.benchmarks.report.Statistics.Interval;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

/**
 * Statistics with known answers.
 */
class StatisticsTests {

	@Test
	void theMedianIsTheValueInTheMiddle() {
		assertThat(Statistics.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
	}

	@Test
	void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
		assertThat(Statistics.median(List.of(1.0, 100.0, 2.0, 4.0))).isEqualTo(3);
	}

	@Test
	void nothingHasNoMedian() {
		assertThatIllegalArgumentException().isThrownBy(() -> Statistics.median(List.of()));
	}

	@Test
	void ratiosArePairedByRound() {
		assertThat(Statistics.ratios(List.of(10.0, 300.0), List.of(5.0, 100.0))).containsExactly(2.0, 3.0);
	}

	@Test
	void roundsThatOnlyOneOfThemHasAreLeftOut() {
		assertThat(Statistics.ratios(List.of(10.0), List.of(5.0, 100.0))).containsExactly(2.0);
	}

	@Test
	void theIntervalOfTheMedianIsThatOfTheSignTest() {
		assertThat(Statistics.interval(upTo(6))).isEqualTo(new Interval(1, 6));
		assertThat(Statistics.interval(upTo(8))).isEqualTo(new Interval(1, 8));
		assertThat(Statistics.interval(upTo(9))).isEqualTo(new Interval(2, 8));
		assertThat(Statistics.interval(upTo(10))).isEqualTo(new Interval(2, 9));
		assertThat(Statistics.interval(upTo(20))).isEqualTo(new Interval(6, 15));
		assertThat(Statistics.interval(upTo(50))).isEqualTo(new Interval(18, 33));
	}

	@Test
	void theIntervalOfVeryFewIsAllOfThem() {
		assertThat(Statistics.interval(upTo(1))).isEqualTo(new Interval(1, 1));
		assertThat(Statistics.interval(upTo(3))).isEqualTo(new Interval(1, 3));
	}

	@Test
	void jainsIndexIsOneForEqualSharesAndOneNthForOneWhoHasAll() {
		assertThat(Statistics.jain(List.of(7L, 7L, 7L))).isEqualTo(1);
		assertThat(Statistics.jain(List.of(5L, 0L, 0L, 0L))).isEqualTo(0.25);
		assertThat(Statistics.jain(List.of(1L, 3L))).isCloseTo(0.8, within(1e-12));
		assertThat(Statistics.jain(List.of(0L, 0L))).isEqualTo(1);
	}

	@Test
	void aQuantileIsOneOfTheValues() {
		assertThat(Statistics.quantile(upTo(200), 0.99)).isEqualTo(198);
		assertThat(Statistics.quantile(upTo(200), 1)).isEqualTo(200);
		assertThat(Statistics.quantile(upTo(200), 0)).isEqualTo(1);
	}

	private static List<Double> upTo(int n) {
		return IntStream.rangeClosed(1, n).mapToObj((i) -> (double) i).toList();
	}

}
