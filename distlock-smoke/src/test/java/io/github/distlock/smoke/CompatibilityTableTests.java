package io.github.distlock.smoke;

import java.time.LocalDate;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CompatibilityTableTests {

	private static final String PAGE = """
			# Page

			<!-- combinations -->

			| Spring Boot | Java | threads | driver | server | tests | result | date |
			|---|---|---|---|---|---|---|---|
			| 4.0.8 | 17.0.1 | platform | Lettuce 6.8.2 | Redis 6.2.11 | 3 of 3 | passed | 2026-01-01 |
			| 4.0.10 | 17.0.1 | platform | Lettuce 6.8.2 | Redis 6.2.11 | 3 of 3 | passed | 2026-01-01 |

			<!-- end of combinations -->

			More.
			""";

	@Test
	void aRowReplacesThatOfTheSameCombination() {
		String page = CompatibilityTable.of(PAGE).with(row("4.0.8", "17.0.9", "Lettuce 6.8.3", "Redis 6.2.12"));
		assertThat(page).isEqualTo(PAGE.replace(
				"| 4.0.8 | 17.0.1 | platform | Lettuce 6.8.2 | Redis 6.2.11 | 3 of 3 | passed | 2026-01-01 |",
				"| 4.0.8 | 17.0.9 | platform | Lettuce 6.8.3 | Redis 6.2.12 | 2 of 4 | **failed**: `b`; skipped: `a` | 2026-03-02 |"));
	}

	@Test
	void anotherCombinationHasItsPlaceInTheOrderOfVersions() {
		String page = CompatibilityTable.of(PAGE).with(row("4.0.9", "25", "Jedis 7.0.0", "Valkey 8.1.1"));
		assertThat(CompatibilityTable.of(page).rows()).extracting((row) -> row.split(" ")[1])
			.containsExactly("4.0.8", "4.0.9", "4.0.10");
	}

	private static CombinationRow row(String springBoot, String java, String driver, String server) {
		return new CombinationRow(new Combination(springBoot, java, "platform", driver, server), 2, List.of("a"),
				List.of("b"), LocalDate.of(2026, 3, 2));
	}

}
