package io.github.distlock.sample.launcher;

/**
 * One strategy's run under one fault, beside what was expected of it.
 *
 * @param strategy the strategy
 * @param fault what went wrong on a node
 * @param run what the database says afterwards
 * @param unserved orders that were turned away, or not placed any more, since the lock
 * was blocked
 * @param struck whether the fault met a holder
 */
public record Play(Strategy strategy, Fault fault, StrategyRun run, long unserved, boolean struck) {

	/**
	 * Judge the figures.
	 * @param orders orders placed
	 * @param stock units there were for sale
	 * @return what became of the strategy
	 */
	public Verdict verdict(int orders, int stock) {
		if (this.run.showsBug() || this.run.duplicates() > 0) {
			return Verdict.OVERSELLS;
		}
		if (this.unserved > 0) {
			return Verdict.BLOCKS;
		}
		// Orders that were at the node when it died have no answer, and were not sold.
		long lost = (this.fault == Fault.CRASH) ? this.run.errors() : 0;
		boolean complete = this.run.errors() == lost && this.run.sold() >= Math.min(orders - lost, stock);
		return complete ? Verdict.HOLDS : Verdict.FAILS;
	}

	/**
	 * Whether it came as it must.
	 * @param orders orders placed
	 * @param stock units there were for sale
	 */
	public boolean isAsExpected(int orders, int stock) {
		return this.struck && verdict(orders, stock) == this.strategy.expected(this.fault).verdict();
	}

	/**
	 * Say why, in one sentence.
	 * @param orders orders placed
	 * @param stock units there were for sale
	 */
	public String why(int orders, int stock) {
		Strategy.Expectation expected = this.strategy.expected(this.fault);
		if (isAsExpected(orders, stock)) {
			return expected.why();
		}
		return this.struck ? "NOT as expected, which was: " + expected.verdict() : "the fault met no holder";
	}

}
