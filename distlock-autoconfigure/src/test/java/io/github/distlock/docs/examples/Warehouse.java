package io.github.distlock.docs.examples;

/**
 * A warehouse.
 *
 * @param id its number
 */
public record Warehouse(String id) {

}
