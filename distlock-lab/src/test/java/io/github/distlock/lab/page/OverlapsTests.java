package io.github.distlock.lab.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.distlock.lab.page.RecordedSale.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which sales overlap.
 */
class OverlapsTests {

	@Test
	void twoSalesOverlapIfEachBeginsBeforeTheOtherEnds() {
		RecordedSale first = sale(1, "ticket", 10, 20, State.WROTE);
		RecordedSale second = sale(2, "ticket", 19, 30, State.WROTE);
		assertThat(Overlaps.of(List.of(first, second))).containsExactlyInAnyOrder(first, second);
	}

	@Test
	void salesThatTouchDoNotOverlap() {
		assertThat(Overlaps.of(List.of(sale(1, "ticket", 10, 20, State.WROTE), sale(2, "ticket", 20, 30, State.WROTE))))
			.isEmpty();
	}

	@Test
	void segmentsHaveLocksOfTheirOwn() {
		assertThat(Overlaps
			.of(List.of(sale(1, "ticket#1", 10, 20, State.WROTE), sale(2, "ticket#2", 11, 19, State.WROTE)))).isEmpty();
	}

	@Test
	void aRefusedOrCrashedSaleOverlapsNothing() {
		assertThat(Overlaps.of(List.of(sale(1, "ticket", 10, 20, State.WROTE), sale(2, "ticket", 11, 19, State.REFUSED),
				sale(3, "ticket", 12, 30, State.CRASHED))))
			.isEmpty();
	}

	@Test
	void theResultIsThatOfAComparisonOfAllPairs() {
		Random random = new Random(13);
		for (int round = 0; round < 200; round++) {
			List<RecordedSale> sales = new ArrayList<>();
			for (int number = 0; number < 12; number++) {
				long read = random.nextInt(60);
				sales
					.add(sale(number, "ticket#" + random.nextInt(2), read, read + 1 + random.nextInt(12), State.WROTE));
			}
			assertThat(Overlaps.of(sales)).isEqualTo(byPairs(sales));
		}
	}

	private static Set<RecordedSale> byPairs(List<RecordedSale> sales) {
		return sales.stream()
			.filter((sale) -> sales.stream()
				.anyMatch((other) -> other != sale && other.resource().equals(sale.resource())
						&& sale.read() < end(other) && other.read() < end(sale)))
			.collect(Collectors.toSet());
	}

	private static long end(RecordedSale sale) {
		return Objects.requireNonNull(sale.end());
	}

	private static RecordedSale sale(long number, String resource, long read, long end, State state) {
		return new RecordedSale("one", number, number, resource, read, read, 20, null, null, List.of(), end, 19L, 20L,
				state);
	}

}
