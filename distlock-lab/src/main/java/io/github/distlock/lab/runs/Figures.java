package io.github.distlock.lab.runs;

import java.time.Duration;

import io.github.distlock.lab.servers.StockLevel;

/**
 * The figures of one strategy. Except for errors and time they are read from the database
 * after the last answer.
 *
 * @param strategy its name
 * @param sold orders accepted: rows of the {@code sales} table
 * @param stockLeft units left, from the {@code stock} table
 * @param oversold orders accepted beyond the stock: {@code sold - stock}, if positive
 * @param lostUpdates sales that the stock does not show, because another write covered
 * them: {@code sold - (stock - stockLeft)}
 * @param duplicates numbers sold twice: {@code sold} minus the distinct serial numbers
 * sold
 * @param errors orders without a good answer: HTTP failures and exceptions. A refusal
 * because nothing was left is not an error
 * @param seconds from the first order to the last answer
 */
public record Figures(String strategy, long sold, long stockLeft, long oversold, long lostUpdates, long duplicates,
		long errors, double seconds) {

	/**
	 * Compute the figures of a run.
	 * @param strategy the strategy
	 * @param stock units there were for sale
	 * @param level the article afterwards
	 * @param errors orders without a good answer
	 * @param time from the first order to the last answer
	 * @return the figures
	 */
	public static Figures of(String strategy, int stock, StockLevel level, long errors, Duration time) {
		return new Figures(strategy, level.sold(), level.quantity(), Math.max(0, level.sold() - stock),
				level.sold() - (stock - level.quantity()), level.sold() - level.serials(), errors,
				Math.round(time.toNanos() / 1e6) / 1e3);
	}

	/**
	 * Compute the rate.
	 * @param orders orders answered
	 * @return the orders per second
	 */
	public double ordersPerSecond(long orders) {
		return (this.seconds > 0) ? orders / this.seconds : 0;
	}

	/**
	 * Return whether the run shows the bug.
	 */
	public boolean showsBug() {
		return this.lostUpdates > 0 || this.oversold > 0;
	}

	/**
	 * Return whether the run sold every unit once and answered every order.
	 * @param orders orders placed
	 * @param stock units there were for sale
	 */
	public boolean isRight(int orders, int stock) {
		return !showsBug() && this.duplicates == 0 && this.errors == 0 && this.sold == Math.min(orders, stock);
	}

}
