package io.github.distlock.sample.inventory;

/**
 * One article in the database.
 *
 * @param sku the article
 * @param quantity units left, from the {@code stock} table
 * @param sold accepted orders, the rows of the {@code sales} table
 * @param serials distinct serial numbers among them; fewer than {@code sold} when a unit
 * was sold twice
 */
record StockLevel(String sku, long quantity, long sold, long serials) {

}
