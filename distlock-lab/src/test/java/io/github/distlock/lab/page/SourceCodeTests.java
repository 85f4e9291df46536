package io.github.distlock.lab.page;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lines that are cut out of a source.
 */
class SourceCodeTests {

	@Test
	void theMethodsThatTheMethodCallsAreShownToo() {
		assertThat(SourceCode.cut("""
				package shop;

				/** Sells. */
				@Service("x")
				class Shop implements StockStrategy {

					private final Ledger ledger = new Ledger(1);

					/** The constructor. */
					Shop() {
					}

					@Override
					public Sale sell(String sku) {
						// Take it first.
						take(sku);
						return null;
					}

					private boolean take(String sku) {
						return true;
					}

					private void unused() {
					}

				}
				""", "sell")).isEqualTo("""
				@Service("x")
				class Shop implements StockStrategy {

					@Override
					public Sale sell(String sku) {
						take(sku);
						return null;
					}

					private boolean take(String sku) {
						return true;
					}

				}""");
	}

	@Test
	void ofTwoMethodsWithOneNameTheOneWithAsManyParametersIsShown() {
		String code = SourceCode.cut("""
				@Service
				class Shop {

					public Sale sell(String sku) {
						return write(sku, Map.of("a", 1), 2);
					}

					private Sale write(String sku) {
						return null;
					}

					private Sale write(String sku, Map<String, Integer> parts, long left) {
						return null;
					}

				}
				""", "sell");
		assertThat(code).contains("long left)").doesNotContain("write(String sku) {");
	}

}
