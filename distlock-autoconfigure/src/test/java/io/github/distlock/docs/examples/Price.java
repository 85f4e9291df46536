package io.github.distlock.docs.examples;

import java.math.BigDecimal;

/**
 * The price of an article.
 *
 * @param sku the article
 * @param amount the price
 */
public record Price(String sku, BigDecimal amount) {

}
