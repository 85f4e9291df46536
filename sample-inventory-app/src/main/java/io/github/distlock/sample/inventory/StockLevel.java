package io.github.distlock.sample.inventory;

/**
 * What the database says about one article.
 *
 * @param sku the article
 * @param quantity units left, as the {@code stock} table has it
 * @param sold accepted orders, the rows of the {@code sales} table
 * @param serials distinct serial numbers among them; fewer than {@code sold} when a unit
 * was sold twice
 */
record StockLevel(String sku, long quantity, long sold, long serials) {

}
