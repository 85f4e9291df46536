package io.github.distlock.smoke;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CompatibilityTableTests {

	private static final String PAGE = """
			# Page

			<!-- combinations -->

			| Spring Boot | Java | threads | driver | Redis 6.2 |
			|---|---|---|---|---|
			| 4.0.8 | 17.0.1 | platform | Lettuce 6.8.2 | 3 of 3 |
			| 4.0.10 | 17.0.1 | platform | Lettuce 6.8.2 | 3 of 3 |

			<!-- end of combinations -->

			More.
			""";

	@Test
	void aResultReplacesThatOfTheSameCombination() {
		String page = CompatibilityTable.of(PAGE)
			.with(combination("4.0.8", "17.0.9", "Lettuce 6.8.3", "Redis 6.2.12"), "**2 of 4**");
		assertThat(page).isEqualTo(PAGE.replace("| 4.0.8 | 17.0.1 | platform | Lettuce 6.8.2 | 3 of 3 |",
				"| 4.0.8 | 17.0.9 | platform | Lettuce 6.8.3 | **2 of 4** |"));
	}

	@Test
	void anotherServerGetsAColumn() {
		String page = CompatibilityTable.of(PAGE)
			.with(combination("4.0.8", "17.0.1", "Lettuce 6.8.2", "Valkey 8.1.1"), "4 of 4");
		assertThat(page).contains("| driver | Redis 6.2 | Valkey 8.1 |\n|---|---|---|---|---|---|",
				"| 4.0.8 | 17.0.1 | platform | Lettuce 6.8.2 | 3 of 3 | 4 of 4 |",
				"| 4.0.10 | 17.0.1 | platform | Lettuce 6.8.2 | 3 of 3 |  |");
		assertThat(CompatibilityTable.of(page).result("4.0.8|17|platform|Lettuce", "Valkey 8.1")).isEqualTo("4 of 4");
		assertThat(CompatibilityTable.of(page).result("4.0.10|17|platform|Lettuce", "Valkey 8.1")).isEmpty();
	}

	@Test
	void anotherCombinationHasItsPlaceInTheOrderOfVersions() {
		String page = CompatibilityTable.of(PAGE)
			.with(combination("4.0.9", "25", "Jedis 7.0.0", "Valkey 8.1.1"), "4 of 4");
		assertThat(CompatibilityTable.of(page).keys()).extracting((key) -> key.split("\\|")[0])
			.containsExactly("4.0.8", "4.0.9", "4.0.10");
	}

	private static Combination combination(String springBoot, String java, String driver, String server) {
		return new Combination(springBoot, java, "platform", driver, server);
	}

}
