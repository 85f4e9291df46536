package io.github.distlock.sample.lab.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.distlock.sample.lab.page.Stay.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which stays overlap.
 */
class OverlapsTests {

	@Test
	void twoStaysOverlapIfEachBeginsBeforeTheOtherEnds() {
		Stay first = stay(1, "ticket", 10, 20, State.WROTE);
		Stay second = stay(2, "ticket", 19, 30, State.WROTE);
		assertThat(Overlaps.of(List.of(first, second))).containsExactlyInAnyOrder(first, second);
	}

	@Test
	void staysThatTouchDoNotOverlap() {
		assertThat(Overlaps.of(List.of(stay(1, "ticket", 10, 20, State.WROTE), stay(2, "ticket", 20, 30, State.WROTE))))
			.isEmpty();
	}

	@Test
	void segmentsHaveLocksOfTheirOwn() {
		assertThat(Overlaps
			.of(List.of(stay(1, "ticket#1", 10, 20, State.WROTE), stay(2, "ticket#2", 11, 19, State.WROTE)))).isEmpty();
	}

	@Test
	void aRefusedOrCrashedStayOverlapsNothing() {
		assertThat(Overlaps.of(List.of(stay(1, "ticket", 10, 20, State.WROTE), stay(2, "ticket", 11, 19, State.REFUSED),
				stay(3, "ticket", 12, 30, State.CRASHED))))
			.isEmpty();
	}

	@Test
	void theResultIsThatOfAComparisonOfAllPairs() {
		Random random = new Random(13);
		for (int round = 0; round < 200; round++) {
			List<Stay> stays = new ArrayList<>();
			for (int number = 0; number < 12; number++) {
				long read = random.nextInt(60);
				stays
					.add(stay(number, "ticket#" + random.nextInt(2), read, read + 1 + random.nextInt(12), State.WROTE));
			}
			assertThat(Overlaps.of(stays)).isEqualTo(byPairs(stays));
		}
	}

	private static Set<Stay> byPairs(List<Stay> stays) {
		return stays.stream()
			.filter((stay) -> stays.stream()
				.anyMatch((other) -> other != stay && other.resource().equals(stay.resource())
						&& stay.read() < end(other) && other.read() < end(stay)))
			.collect(Collectors.toSet());
	}

	private static long end(Stay stay) {
		return Objects.requireNonNull(stay.end());
	}

	private static Stay stay(long number, String resource, long read, long end, State state) {
		return new Stay("one", number, number, resource, read, read, 20, null, null, List.of(), end, 19L, 20L, state);
	}

}
