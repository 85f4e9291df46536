package io.github.distlock.lab.runs;

/**
 * One trial, with the verdict that was expected.
 *
 * @param strategy the strategy
 * @param fault what went wrong on a node
 * @param figures the figures of the database after the last answer
 * @param unserved orders that were refused, or not placed, because the lock was blocked
 * @param struck whether the fault struck a holder
 */
public record TrialResult(Strategy strategy, Fault fault, Figures figures, long unserved, boolean struck) {

	/**
	 * Judge the figures.
	 * @param orders orders placed
	 * @param stock units there were for sale
	 * @return the verdict
	 */
	public Verdict verdict(int orders, int stock) {
		if (this.figures.showsBug() || this.figures.duplicates() > 0) {
			return Verdict.OVERSELLS;
		}
		if (this.unserved > 0) {
			return Verdict.BLOCKS;
		}
		// Orders on a node that crashed have no answer, and a sale under a lost lock
		// fails.
		long lost = (this.fault == Fault.CRASH || this.fault == Fault.PAUSE) ? this.figures.errors() : 0;
		boolean complete = this.figures.errors() == lost && this.figures.sold() >= Math.min(orders - lost, stock);
		return complete ? Verdict.HOLDS : Verdict.FAILS;
	}

	/**
	 * Return whether the verdict is the expected one.
	 * @param orders orders placed
	 * @param stock units there were for sale
	 */
	public boolean isAsExpected(int orders, int stock) {
		return this.struck && verdict(orders, stock) == this.strategy.expected(this.fault).verdict();
	}

	/**
	 * Explain the verdict in one sentence.
	 * @param orders orders placed
	 * @param stock units there were for sale
	 */
	public String why(int orders, int stock) {
		Strategy.Expectation expected = this.strategy.expected(this.fault);
		if (isAsExpected(orders, stock)) {
			return expected.why();
		}
		return this.struck ? "NOT as expected: the verdict should be %s.".formatted(expected.verdict())
				: "NOT as expected: the fault struck no holder.";
	}

}
