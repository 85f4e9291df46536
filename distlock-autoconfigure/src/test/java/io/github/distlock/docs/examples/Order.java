package io.github.distlock.docs.examples;

import java.math.BigDecimal;

/**
 * An order of a customer.
 *
 * @param id the number of the order
 * @param sku the article
 * @param customer the customer
 * @param quantity how many pieces
 * @param amount the price of all of them
 */
public record Order(String id, String sku, String customer, int quantity, BigDecimal amount) {

}
