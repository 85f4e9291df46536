package io.github.distlock.docs.examples;

/**
 * The stock of an article.
 *
 * @param sku the article
 * @param quantity how many pieces are left
 */
public record Stock(String sku, int quantity) {

}
