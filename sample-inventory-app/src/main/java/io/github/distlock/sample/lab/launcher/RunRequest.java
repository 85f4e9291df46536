package io.github.distlock.sample.lab.launcher;

import java.util.ArrayList;
import java.util.List;

/**
 * What is to be played.
 *
 * @param strategies the strategies
 * @param faults what goes wrong meanwhile: each strategy is played with each
 * @param orders orders of each play
 * @param stock units for sale in each play
 * @param buyers how many order at the same time
 */
public record RunRequest(List<Strategy> strategies, List<Fault> faults, int orders, int stock, int buyers) {

	/** The orders of a play if the user does not say. */
	public static final int USUAL_ORDERS = 200;

	/** The units for sale if the user does not say. */
	public static final int USUAL_STOCK = 120;

	/** The buyers if the user does not say. */
	public static final int USUAL_BUYERS = 32;

	public RunRequest {
		strategies = List.copyOf(strategies);
		faults = List.copyOf(faults);
	}

	/**
	 * List the plays in the order in which they are played.
	 * @return one for each fault and strategy
	 */
	public List<PlannedPlay> plays() {
		List<PlannedPlay> plays = new ArrayList<>();
		for (Fault fault : this.faults) {
			for (Strategy strategy : this.strategies) {
				plays.add(new PlannedPlay(plays.size(), strategy, fault));
			}
		}
		return plays;
	}

}
