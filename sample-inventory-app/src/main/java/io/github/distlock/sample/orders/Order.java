package io.github.distlock.sample.orders;

import java.net.URI;

import org.jspecify.annotations.Nullable;

/**
 * What became of an order.
 *
 * @param sku the article
 * @param accepted whether the buyer gets a unit; {@code false} when nothing was left
 * @param serial the unit, or {@code null}
 * @param node the inventory node that decided
 */
record Order(String sku, boolean accepted, @Nullable Long serial, URI node) {

}
