package io.github.distlock.lab.check;

import java.util.List;

import io.github.distlock.lab.check.ServerClock.Reading;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bounds of a server's clock that follow from readings of it.
 */
class ServerClockTests {

	private static final long MILLI = 1_000_000;

	private static final double DRIFT = 200e-6;

	@Test
	void boundsNarrowWithEachReadingAndWidenWithTime() {
		// Between 10 and 20 ms ahead, and between 15 and 25 ms.
		List<Reading> readings = List.of(new Reading(0, 10 * MILLI, 20_000),
				new Reading(1000 * MILLI, 1010 * MILLI, 1_025_000));
		ServerClock clock = onlyClock(readings);
		Range between = clock.at(500 * MILLI);
		assertThat(between.low() - 500 * MILLI).isBetween(15 * MILLI - 200_000, 15 * MILLI);
		assertThat(between.high() - 500 * MILLI).isBetween(20 * MILLI, 20 * MILLI + 200_000);
		Range later = clock.at(11_010 * MILLI);
		assertThat(later.low() - 11_010 * MILLI).isBetween(13 * MILLI - 5000, 13 * MILLI);
		assertThat(later.high() - 11_010 * MILLI).isBetween(22 * MILLI, 23 * MILLI);
	}

	@Test
	void oneReadingThatContradictsTheOthersIsOfAnotherClock() {
		List<ServerClock> clocks = ServerClock
			.find(List.of(reading(10, 1, 0), reading(20, 1, 0), reading(30, 1, 900_000)), DRIFT);
		assertThat(clocks).hasSize(2);
		assertThat(holds(clocks.get(1).at(30 * MILLI), 930_000)).isTrue();
	}

	@Test
	void aReadingThatMayBeOfTheNextClockSaysNothingOfTheOneBefore() {
		List<ServerClock> clocks = ServerClock.find(List.of(reading(10, 1, 0), reading(20, 1, 0), reading(30, 2, 2500),
				reading(40, 1, 2500), reading(50, 1, 2500)), DRIFT);
		assertThat(clocks).hasSize(2);
		assertThat(holds(clocks.get(0).at(15 * MILLI), 15_000)).isTrue();
		assertThat(holds(clocks.get(1).at(45 * MILLI), 47_500)).isTrue();
	}

	@Test
	void clocksOfTwoJvmsThatJumpAlikeAreTheSame() {
		List<Reading> forward = List.of(reading(10, 1, 0), reading(20, 1, 0), reading(30, 1, 9000),
				reading(40, 1, 9000));
		List<Reading> back = List.of(reading(10, 1, 0), reading(20, 1, 0), reading(30, 1, -9000),
				reading(40, 1, -9000));
		List<ServerClock> one = ServerClock.find(forward, DRIFT);
		assertThat(ServerClock.pairs(one, ServerClock.find(forward, DRIFT))).hasSize(2);
		assertThat(ServerClock.pairs(one, ServerClock.find(back, DRIFT))).hasSize(4);
		assertThat(ServerClock.pairs(one, ServerClock.find(forward.subList(0, 2), DRIFT))).hasSize(2);
	}

	private static ServerClock onlyClock(List<Reading> readings) {
		List<ServerClock> clocks = ServerClock.find(readings, DRIFT);
		assertThat(clocks).hasSize(1);
		return clocks.get(0);
	}

	/** A reading in the middle of a command, of a server that is ahead. */
	private static Reading reading(long millis, long halfMillis, long aheadMicros) {
		return new Reading((millis - halfMillis) * MILLI, (millis + halfMillis) * MILLI, millis * 1000 + aheadMicros);
	}

	private static boolean holds(Range range, long micros) {
		return range.low() <= micros * 1000 && micros * 1000 <= range.high();
	}

}
