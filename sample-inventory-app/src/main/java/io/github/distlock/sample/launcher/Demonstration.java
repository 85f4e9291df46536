package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Plays the same orders with each strategy and shows how far it is.
 */
final class Demonstration {

	private static final String SKU = "ticket";

	private static final int DOTS = 20;

	private final Shop shop;

	private final Console console;

	Demonstration(Shop shop, Console console) {
		this.shop = shop;
		this.console = console;
	}

	/**
	 * Play all strategies; takes some seconds.
	 * @param options how many orders, units and buyers
	 * @param nodes inventory nodes behind the order service
	 * @return the figures
	 * @throws IOException if a service cannot be asked for the result
	 * @throws InterruptedException if interrupted meanwhile
	 */
	Report play(Options options, int nodes) throws IOException, InterruptedException {
		warmUp(options);
		List<StrategyRun> runs = new ArrayList<>();
		for (String strategy : Strategies.ALL) {
			runs.add(play(strategy, options));
		}
		return new Report(options.orders(), options.stock(), nodes, runs);
	}

	/**
	 * Let the cold JVMs load their classes, so that the first strategy does not pay for
	 * all.
	 */
	private void warmUp(Options options) throws IOException, InterruptedException {
		String sku = "warm-up";
		this.shop.reset(sku, options.orders());
		for (String strategy : Strategies.ALL) {
			new Buyers(options.buyers()).buy(Math.max(1, options.orders() / 4), () -> this.shop.order(sku, strategy),
					(answered) -> {
					});
		}
	}

	private StrategyRun play(String strategy, Options options) throws IOException, InterruptedException {
		this.shop.reset(SKU, options.stock());
		this.console.part("%-17s".formatted(strategy));
		long start = System.nanoTime();
		List<String> failures = new Buyers(options.buyers()).buy(options.orders(), () -> this.shop.order(SKU, strategy),
				dots(options.orders()));
		Duration time = Duration.ofNanos(System.nanoTime() - start);
		StrategyRun run = StrategyRun.of(strategy, options.stock(), this.shop.level(SKU), failures.size(), time);
		this.console.line(" %d orders in %.2f s", options.orders(), run.seconds());
		failures.stream().limit(3).forEach((failure) -> this.console.line("  failed order: %s", failure));
		return run;
	}

	private IntConsumer dots(int orders) {
		return (answered) -> {
			if (answered * DOTS / orders > (answered - 1) * DOTS / orders) {
				this.console.part(".");
			}
		};
	}

}
