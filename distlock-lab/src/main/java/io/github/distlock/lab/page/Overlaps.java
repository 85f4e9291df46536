package io.github.distlock.lab.page;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds sales that a correct lock would have kept apart.
 */
final class Overlaps {

	private Overlaps() {
	}

	/**
	 * Find the sales of one trial which wrote the stock and overlap another such sale of
	 * the same resource.
	 * @param sales all sales of the trial
	 * @return those that overlap another one
	 */
	static Set<RecordedSale> of(Collection<RecordedSale> sales) {
		List<RecordedSale> ordered = sales.stream()
			.filter((sale) -> sale.state() == RecordedSale.State.WROTE)
			.sorted(Comparator.comparingLong(RecordedSale::read))
			.toList();
		// Of each resource the sale that ends last among those that began before.
		Map<String, RecordedSale> latest = new HashMap<>();
		Set<RecordedSale> overlaps = new HashSet<>();
		for (RecordedSale sale : ordered) {
			RecordedSale before = latest.get(sale.resource());
			if (before != null && sale.read() < endOf(before)) {
				overlaps.add(before);
				overlaps.add(sale);
			}
			if (before == null || endOf(sale) > endOf(before)) {
				latest.put(sale.resource(), sale);
			}
		}
		return overlaps;
	}

	private static long endOf(RecordedSale sale) {
		Long end = sale.end();
		return (end != null) ? end : sale.read();
	}

}
