package io.github.distlock.lab.page;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.RunSettings;
import io.github.distlock.lab.runs.Strategy;
import tools.jackson.databind.JsonNode;

/**
 * Reads what the page asks for.
 */
final class RunForm {

	private static final int ORDERS_OF_A_RUN = 50_000;

	private static final Set<String> FIELDS = Set.of("strategies", "fault", "orders", "stock", "buyers");

	private RunForm() {
	}

	/**
	 * Read a request.
	 * @param json the JSON that was sent
	 * @param catalogue the strategies that there are
	 * @return the request
	 * @throws InvalidFieldException if a field has no sense
	 */
	static RunSettings read(JsonNode json, Catalogue catalogue) {
		if (!json.isObject()) {
			throw new InvalidFieldException("body", json, "is no JSON object",
					"send {\"strategies\":[\"setnx\"],\"fault\":\"none\",\"orders\":800,\"stock\":500,\"buyers\":64}");
		}
		json.propertyNames().forEach((name) -> {
			if (!FIELDS.contains(name)) {
				throw new InvalidFieldException(name, json.path(name), "is unknown", "use " + joined(FIELDS.stream()));
			}
		});
		List<Strategy> strategies = strategies(json.path("strategies"), catalogue);
		int orders = number(json, "orders", Setup.Limits.USUAL.orders());
		long total = (long) orders * strategies.size();
		if (total > ORDERS_OF_A_RUN) {
			throw new InvalidFieldException("orders", json.path("orders"),
					"makes %d orders with %d strategies, and a run has at most %d".formatted(total, strategies.size(),
							ORDERS_OF_A_RUN),
					"use %d or fewer orders, or fewer strategies".formatted(ORDERS_OF_A_RUN / strategies.size()));
		}
		return new RunSettings(strategies, List.of(fault(json.path("fault"))), orders,
				number(json, "stock", Setup.Limits.USUAL.stock()), number(json, "buyers", Setup.Limits.USUAL.buyers()));
	}

	private static List<Strategy> strategies(JsonNode json, Catalogue catalogue) {
		if (!json.isArray() || json.isEmpty()) {
			throw new InvalidFieldException("strategies", json, "is no list of names",
					"send one or more of " + String.join(", ", catalogue.names()));
		}
		Set<Strategy> strategies = new LinkedHashSet<>();
		for (JsonNode name : json) {
			strategies.add((name.isString() ? catalogue.find(name.asString()) : Optional.<Strategy>empty())
				.orElseThrow(() -> new InvalidFieldException("strategies", name, "is no strategy",
						"use some of " + String.join(", ", catalogue.names()))));
		}
		return new ArrayList<>(strategies);
	}

	private static Fault fault(JsonNode json) {
		if (json.isMissingNode()) {
			return Fault.NONE;
		}
		return Stream.of(Fault.values())
			.filter((fault) -> json.isString() && fault.option().equals(json.asString()))
			.findFirst()
			.orElseThrow(() -> new InvalidFieldException("fault", json, "is no fault",
					"use one of " + Stream.of(Fault.values()).map(Fault::option).collect(Collectors.joining(", "))));
	}

	private static int number(JsonNode json, String field, Setup.Limit limit) {
		JsonNode value = json.path(field);
		if (value.isMissingNode()) {
			return limit.usual();
		}
		String remedy = "use a whole number from %d to %d".formatted(limit.min(), limit.max());
		if (!value.isIntegralNumber()) {
			throw new InvalidFieldException(field, value, "is no whole number", remedy);
		}
		if (!value.canConvertToInt() || value.intValue() < limit.min() || value.intValue() > limit.max()) {
			throw new InvalidFieldException(field, value, "is out of range", remedy);
		}
		return value.intValue();
	}

	private static String joined(Stream<String> names) {
		return names.collect(Collectors.joining(", "));
	}

	/**
	 * A field has no sense.
	 */
	@SuppressWarnings("serial")
	static final class InvalidFieldException extends IllegalArgumentException {

		private static final int SHOWN = 100;

		private final String field;

		InvalidFieldException(String field, JsonNode value, String cause, String remedy) {
			super("The field '%s' with the value %s %s: %s".formatted(field, shortened(value), cause, remedy));
			this.field = field;
		}

		String field() {
			return this.field;
		}

		private static String shortened(JsonNode value) {
			String text = value.isMissingNode() ? "(missing)" : value.toString();
			return (text.length() <= SHOWN) ? text : text.substring(0, SHOWN) + "…";
		}

	}

}
