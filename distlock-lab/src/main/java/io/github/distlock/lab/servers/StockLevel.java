package io.github.distlock.lab.servers;

/**
 * An article in the database after a run.
 *
 * @param sku the article
 * @param quantity units left in the {@code stock} table
 * @param sold rows of the {@code sales} table
 * @param serials distinct serial numbers in it
 */
public record StockLevel(String sku, long quantity, long sold, long serials) {

	/** The article that the runs sell. */
	public static final String ARTICLE = "ticket";

}
