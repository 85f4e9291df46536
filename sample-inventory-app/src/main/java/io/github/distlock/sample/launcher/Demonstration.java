package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
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

	private final Services services;

	private final FaultyNode node;

	private final Console console;

	Demonstration(Shop shop, Services services, FaultyNode node, Console console) {
		this.shop = shop;
		this.services = services;
		this.node = node;
		this.console = console;
	}

	/**
	 * Play strategies; takes some seconds for each.
	 * @param strategies which
	 * @param faults what goes wrong meanwhile: each strategy is played with each
	 * @param options how many orders, units and buyers
	 * @return the figures
	 * @throws IOException if a service cannot be asked for the result
	 * @throws InterruptedException if interrupted meanwhile
	 */
	List<Play> play(List<Strategy> strategies, List<Fault> faults, Options options)
			throws IOException, InterruptedException {
		warmUp(strategies, options);
		List<Play> plays = new ArrayList<>();
		for (Fault fault : faults) {
			for (Strategy strategy : strategies) {
				plays.add(play(strategy, fault, options));
			}
		}
		return plays;
	}

	/**
	 * Let the cold JVMs load their classes, so that the first strategy does not pay for
	 * all.
	 */
	private void warmUp(List<Strategy> strategies, Options options) throws IOException, InterruptedException {
		for (Strategy strategy : strategies) {
			if (this.services.know(strategy.store())) {
				warmUp(strategy, options);
			}
		}
	}

	private void warmUp(Strategy strategy, Options options) throws IOException, InterruptedException {
		String sku = "warm-up";
		this.shop.reset(sku, options.orders());
		new Buyers(options.buyers()).buy(Math.max(1, options.orders() / 4), () -> this.shop.order(sku, strategy.name()),
				(answered) -> {
				});
	}

	private Play play(Strategy strategy, Fault fault, Options options) throws IOException, InterruptedException {
		if (!this.services.know(strategy.store())) {
			this.services.learn(strategy.store());
			warmUp(strategy, options);
		}
		this.shop.reset(SKU, options.stock());
		this.console
			.part("%-17s%s".formatted(strategy.name(), (fault == Fault.NONE) ? "" : " " + fault.option() + " "));
		Round round = new Round(this.shop, SKU, strategy.name());
		long start = System.nanoTime();
		List<String> failures = new Buyers(options.buyers()).buy(options.orders(), round::order,
				progress(fault, options.orders()));
		Duration time = Duration.ofNanos(System.nanoTime() - start);
		boolean struck = this.node.recover(fault);
		StrategyRun run = StrategyRun.of(strategy.name(), options.stock(), this.shop.level(SKU), failures.size(), time);
		this.console.line(" %d orders in %.2f s", options.orders(), run.seconds());
		// With a node die the orders that it had: they are counted, and not told.
		failures.stream()
			.limit((fault == Fault.CRASH) ? 0 : 3)
			.forEach((failure) -> this.console.line("  failed order: %s", failure));
		return new Play(strategy, fault, run, round.unserved(), struck);
	}

	/**
	 * Show how far it is, and let the fault strike when a quarter is done.
	 */
	private IntConsumer progress(Fault fault, int orders) {
		int quarter = Math.max(1, orders / 4);
		return (answered) -> {
			if (answered * DOTS / orders > (answered - 1) * DOTS / orders) {
				this.console.part(".");
			}
			if (answered == quarter) {
				arm(fault);
			}
		};
	}

	private void arm(Fault fault) {
		try {
			this.node.arm(fault);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
