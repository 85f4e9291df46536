package io.github.distlock.docs.reference;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of the configuration properties in docs/reference.md.
 */
class PropertySectionTests {

	private static final String FIRST_TABLE = "The twelve that applications set most often";

	private static List<String> names = List.of();

	private static List<Row> firstTable = List.of();

	/** The rows of all other tables. */
	private static List<Row> rows = List.of();

	@BeforeAll
	static void write() throws IOException {
		PropertySection section = new PropertySection(SourceDocs.read());
		names = section.names();
		Markdown page = new Markdown();
		section.write(page);
		List<Row> all = new ArrayList<>();
		String title = "";
		for (String line : page.toString().lines().toList()) {
			if (line.startsWith("### ")) {
				title = line.substring(4);
			}
			else if (line.startsWith("| `") || line.startsWith("| [`")) {
				all.add(Row.of(title, line));
			}
		}
		firstTable = all.subList(0, 12);
		rows = all.subList(12, all.size());
	}

	@Test
	void theFirstTableHasTwelveProperties() {
		assertThat(firstTable).map(Row::title).containsOnly(FIRST_TABLE);
		assertThat(firstTable).map(Row::name)
			.containsExactly("distlock.backend", "distlock.key-prefix", "distlock.wait-time", "distlock.lease-time",
					"distlock.shutdown-grace-period", "distlock.release", "distlock.handoff.keep", "distlock.fail-fast",
					"distlock.enabled", "distlock.redlock.nodes", "distlock.jdbc.initialize-schema",
					"distlock.zookeeper.connect-string");
	}

	@Test
	void eachPropertyHasOneRowInTheTableOfItsGroup() {
		assertThat(rows).map(Row::title).doesNotContain(FIRST_TABLE);
		assertThat(rows).map(Row::name).containsExactlyInAnyOrderElementsOf(names);
	}

	@Test
	void aRowOfTheFirstTableIsAShortFormOfThatOfTheGroupAndLeadsToIt() {
		assertThat(firstTable).allSatisfy((row) -> {
			Row full = rows.stream()
				.filter((candidate) -> candidate.name().equals(row.name()))
				.findFirst()
				.orElseThrow();
			assertThat(row.type()).isEqualTo(full.type());
			assertThat(row.defaultValue()).isEqualTo(full.defaultValue());
			assertThat(full.description()).startsWith(row.description());
			assertThat(row.link()).isEqualTo("#" + full.title().toLowerCase(Locale.ROOT).replace(' ', '-'));
		});
	}

	@Test
	void aDefaultIsShownAsItIs() {
		assertThat(rows).filteredOn((row) -> row.name().equals("distlock.jdbc.table-prefix"))
			.map(Row::defaultValue)
			.containsExactly("`distlock_`");
	}

	/**
	 * A row.
	 *
	 * @param title the heading above its table
	 */
	private record Row(String title, String name, String link, String type, String defaultValue, String description) {

		static Row of(String title, String line) {
			List<String> cells = Arrays.stream(line.substring(1, line.length() - 1).split("(?<!\\\\)\\|"))
				.map(String::strip)
				.toList();
			String property = cells.get(0);
			return new Row(title, property.replaceAll("^\\[?`([^`]+)`.*", "$1"),
					property.startsWith("[") ? property.replaceAll(".*\\(|\\)", "") : "", cells.get(1), cells.get(2),
					cells.get(3));
		}

	}

}
