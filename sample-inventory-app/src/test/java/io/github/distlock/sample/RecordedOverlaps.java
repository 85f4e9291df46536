package io.github.distlock.sample;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;

/**
 * Finds the stays of a record that overlap, in the simplest way.
 */
final class RecordedOverlaps {

	private RecordedOverlaps() {
	}

	/**
	 * Find the stays of the first trial that overlap another one.
	 * @param record the record of a run
	 * @return their names, such as {@code inventory-1/7/red}
	 */
	static Set<String> of(JsonNode record) {
		Map<String, JsonNode> stays = new HashMap<>();
		for (JsonNode event : record.path("events")) {
			if (event.path("type").asString().equals("stays") && event.path("trial").asInt() == 0) {
				event.path("stays")
					.forEach(
							(stay) -> stays.put(stay.path("node").asString() + "/" + stay.path("stay").asLong(), stay));
			}
		}
		Set<String> red = new TreeSet<>();
		stays.forEach((name, stay) -> stays.forEach((other, beside) -> {
			if (!name.equals(other) && overlap(stay, beside)) {
				red.add(name + "/red");
			}
		}));
		return red;
	}

	/**
	 * Return whether two stays overlap: both wrote, and were inside at the same time.
	 * @param one a stay
	 * @param other another stay
	 */
	static boolean overlap(JsonNode one, JsonNode other) {
		return wrote(one) && wrote(other) && one.path("resource").equals(other.path("resource"))
				&& one.path("read").asLong() < other.path("end").asLong()
				&& other.path("read").asLong() < one.path("end").asLong();
	}

	private static boolean wrote(JsonNode stay) {
		return stay.path("state").asString().equals("wrote");
	}

}
