package io.github.distlock.sample.lab.page;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds stays that a correct lock would have kept apart.
 */
final class Overlaps {

	private Overlaps() {
	}

	/**
	 * Find the stays of one trial which wrote the stock and overlap another such stay of
	 * the same resource.
	 * @param stays all stays of the trial
	 * @return those that overlap another one
	 */
	static Set<Stay> of(Collection<Stay> stays) {
		List<Stay> ordered = stays.stream()
			.filter((stay) -> stay.state() == Stay.State.WROTE)
			.sorted(Comparator.comparingLong(Stay::read))
			.toList();
		// Of each resource the stay that ends last among those that began before.
		Map<String, Stay> latest = new HashMap<>();
		Set<Stay> overlaps = new HashSet<>();
		for (Stay stay : ordered) {
			Stay before = latest.get(stay.resource());
			if (before != null && stay.read() < endOf(before)) {
				overlaps.add(before);
				overlaps.add(stay);
			}
			if (before == null || endOf(stay) > endOf(before)) {
				latest.put(stay.resource(), stay);
			}
		}
		return overlaps;
	}

	private static long endOf(Stay stay) {
		Long end = stay.end();
		return (end != null) ? end : stay.read();
	}

}
