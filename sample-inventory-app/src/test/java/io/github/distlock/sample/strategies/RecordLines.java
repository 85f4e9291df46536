package io.github.distlock.sample.strategies;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The records of a node, as a test reads them.
 *
 * @param lines the lines of the file
 */
record RecordLines(List<JsonNode> lines) {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	static RecordLines of(Path file) throws IOException {
		return new RecordLines(Files.readAllLines(file).stream().map(JSON::readTree).toList());
	}

	RecordLines from(int line) {
		return new RecordLines(this.lines.subList(line, this.lines.size()));
	}

	List<Long> numbers() {
		return this.lines.stream().map((line) -> line.path("n").asLong()).toList();
	}

	/**
	 * The sales in the order of their reads.
	 */
	List<RecordedSale> sales() {
		Map<Long, RecordedSale> sales = new LinkedHashMap<>();
		for (JsonNode line : this.lines) {
			long sale = line.path("stay").asLong();
			switch (line.path("type").asString()) {
				case "read" -> sales.put(sale, new RecordedSale(line, null));
				case "wrote", "refused" -> sales.computeIfPresent(sale, (number, open) -> open.ended(line));
				default -> {
				}
			}
		}
		return sales.values().stream().sorted(Comparator.comparing(RecordedSale::from)).toList();
	}

	/**
	 * The pairs of sales that protect the same resource, both wrote, and overlap.
	 */
	static List<String> overlaps(List<RecordedSale> sales) {
		List<RecordedSale> wrote = sales.stream().filter(RecordedSale::wrote).toList();
		List<String> overlaps = new ArrayList<>();
		for (RecordedSale one : wrote) {
			for (RecordedSale other : wrote) {
				if (one != other && one.resource().equals(other.resource()) && one.from() <= other.from()
						&& one.until() >= other.from()) {
					overlaps.add(one + " overlaps " + other);
				}
			}
		}
		return overlaps;
	}

	/**
	 * A sale, with its end if it has one.
	 *
	 * @param read the line of its beginning
	 * @param end the line of its end
	 */
	record RecordedSale(JsonNode read, @Nullable JsonNode end) {

		RecordedSale ended(JsonNode line) {
			return new RecordedSale(this.read, line);
		}

		long from() {
			return this.read.path("at").asLong();
		}

		String resource() {
			return this.read.path("resource").asString();
		}

		String endType() {
			return (this.end != null) ? this.end.path("type").asString() : "none";
		}

		boolean wrote() {
			return endType().equals("wrote");
		}

		long until() {
			return (this.end != null) ? this.end.path("at").asLong() : Long.MAX_VALUE;
		}

		long serial() {
			return (this.end != null) ? this.end.path("serial").asLong() : -1;
		}

	}

}
