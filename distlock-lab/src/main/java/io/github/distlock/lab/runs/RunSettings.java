package io.github.distlock.lab.runs;

import java.util.ArrayList;
import java.util.List;

/**
 * What is to be tried.
 *
 * @param strategies the strategies
 * @param faults what goes wrong meanwhile: one trial of each strategy with each
 * @param orders orders of each trial
 * @param stock units for sale in each trial
 * @param buyers how many order at the same time
 */
public record RunSettings(List<Strategy> strategies, List<Fault> faults, int orders, int stock, int buyers) {

	/** The orders of a trial if the user does not say. */
	public static final int USUAL_ORDERS = 800;

	/** The units for sale if the user does not say. */
	public static final int USUAL_STOCK = 500;

	/** The buyers if the user does not say. */
	public static final int USUAL_BUYERS = 64;

	public RunSettings {
		strategies = List.copyOf(strategies);
		faults = List.copyOf(faults);
	}

	/**
	 * List the trials in their order.
	 * @return one for each fault and strategy
	 */
	public List<Trial> trials() {
		List<Trial> trials = new ArrayList<>();
		for (Fault fault : this.faults) {
			for (Strategy strategy : this.strategies) {
				trials.add(new Trial(trials.size(), strategy, fault));
			}
		}
		return trials;
	}

}
