package io.github.distlock.benchmarks.workers;

import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/**
 * The histogram of times.
 */
class LatenciesTests {

	@Test
	void quantilesAreThreePercentTooLongAtMost() {
		Latencies latencies = new Latencies();
		LongStream.rangeClosed(1, 100_000).forEach((micros) -> latencies.record(micros * 1000));
		assertThat(latencies.quantile(0.5)).isGreaterThanOrEqualTo(50_000_000)
			.isCloseTo(50_000_000, withinPercentage(3.2));
		assertThat(latencies.quantile(0.999)).isGreaterThanOrEqualTo(99_900_000)
			.isCloseTo(99_900_000, withinPercentage(3.2));
		assertThat(latencies.max()).isEqualTo(100_000_000);
		assertThat(latencies.quantile(1)).isEqualTo(100_000_000);
	}

	@Test
	void nothingWasNeverLate() {
		assertThat(new Latencies().quantile(0.99)).isZero();
	}

	@Test
	void whatOneJvmWroteDownAnotherReads() {
		Latencies latencies = new Latencies();
		LongStream.of(0, 31, 32, 33, 1000, Long.MAX_VALUE).forEach(latencies::record);
		Latencies read = Latencies.decode(latencies.encode());
		assertThat(read.encode()).isEqualTo(latencies.encode());
		assertThat(read.quantile(0.5)).isEqualTo(32);
		read.add(latencies);
		assertThat(read.quantile(0.5)).isEqualTo(32);
	}

}
