package io.github.distlock.model;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches the model of the Redis protocol: all properties hold, and each known flaw is
 * found. {@code -Dmodel.complete=true} runs all searches, {@code -Dmodel.complete} with a
 * part of a name only those; {@code -Dmodel.minutes} limits each of them.
 */
class ProtocolModelTests {

	/** A state takes about 200 bytes. */
	private static final int MAX_STATES = 12_000_000;

	private static final Duration MAX_TIME = Duration.ofMinutes(Integer.getInteger("model.minutes", 20));

	static Stream<NamedSearch> quickSearches() {
		return Searches.ofTheProtocol().stream().filter(NamedSearch::quick);
	}

	static List<NamedSearch> flawedProtocols() {
		return Searches.ofFlaws();
	}

	static Stream<NamedSearch> allSearches() {
		String part = System.getProperty("model.complete", "true");
		return Searches.ofTheProtocol()
			.stream()
			.filter((search) -> part.equals("true") || search.name().contains(part));
	}

	@ParameterizedTest
	@MethodSource("quickSearches")
	void smallProtocolKeepsAllProperties(NamedSearch search) {
		assertKeepsAllProperties(search);
	}

	@ParameterizedTest
	@MethodSource("flawedProtocols")
	void flawIsFound(NamedSearch search) {
		SearchResult result = run(search);
		assertThat(result.violated()).as("%s: %s", search, result).isNotNull();
	}

	@ParameterizedTest(allowZeroInvocations = true)
	@MethodSource("allSearches")
	@EnabledIfSystemProperty(named = "model.complete", matches = ".+")
	void protocolKeepsAllProperties(NamedSearch search) {
		assertKeepsAllProperties(search);
	}

	private static void assertKeepsAllProperties(NamedSearch search) {
		SearchResult result = run(search);
		assertThat(result.violated()).as("%s%n%s", search, result.trace()).isNull();
		assertThat(result.complete()).as("%s is complete: %s", search, result).isTrue();
	}

	private static SearchResult run(NamedSearch search) {
		SearchResult result = new StateSearch(search.settings()).run(MAX_STATES, MAX_TIME);
		LogFactory.getLog(ProtocolModelTests.class).info(search + ": " + result);
		return result;
	}

}
