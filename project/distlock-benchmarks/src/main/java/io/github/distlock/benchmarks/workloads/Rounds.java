package io.github.distlock.benchmarks.workloads;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.UnavailableException;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.report.Measurement;
import io.github.distlock.benchmarks.report.Metric;

/**
 * Contenders in turn, round after round, in an order that rotates, so that whatever slows
 * the machine for a while slows all of them. A contender that fails leaves.
 */
final class Rounds {

	private final Bench bench;

	private final Chapter chapter;

	private final List<Contender> present;

	Rounds(Bench bench, Chapter chapter, List<Contender> contenders) {
		this.bench = bench;
		this.chapter = chapter;
		this.present = new ArrayList<>(contenders);
	}

	/**
	 * Do something with each contender before the first round.
	 * @param preparation what
	 */
	void prepare(Consumer<Contender> preparation) {
		for (Contender contender : List.copyOf(this.present)) {
			attempt(contender, () -> preparation.accept(contender));
		}
	}

	/**
	 * Measure.
	 * @param slice what a contender does in a round
	 */
	void run(Function<Contender, Map<Metric, Double>> slice) {
		List<Contender> order = new ArrayList<>(this.present);
		for (int round = 1; round <= this.bench.rounds(); round++) {
			int number = round;
			for (Contender contender : List.copyOf(order)) {
				if (this.present.contains(contender)) {
					attempt(contender, () -> this.bench.results()
						.add(new Measurement(this.chapter.id(), contender.id(), number, slice.apply(contender))));
				}
			}
			Collections.rotate(order, 1);
		}
	}

	/**
	 * Measure in a single round.
	 * @param slice what a contender does
	 */
	void once(Function<Contender, Map<Metric, Double>> slice) {
		prepare((contender) -> this.bench.results()
			.add(new Measurement(this.chapter.id(), contender.id(), 1, slice.apply(contender))));
	}

	private void attempt(Contender contender, Runnable action) {
		try {
			action.run();
		}
		catch (UnavailableException ex) {
			leave(contender, String.valueOf(ex.getMessage()));
		}
		catch (IllegalStateException ex) {
			leave(contender, String.valueOf(ex.getMessage()));
			// Its threads may go on locking, and nobody should be measured beside them.
			this.bench.crew().close();
		}
	}

	private void leave(Contender contender, String reason) {
		this.present.remove(contender);
		this.bench.results().absent(this.chapter.id(), contender.id(), reason);
		this.bench.progress().println("  " + contender.id() + ": " + reason);
	}

}
