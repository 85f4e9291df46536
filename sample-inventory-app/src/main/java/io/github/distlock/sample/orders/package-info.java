/**
 * The order service: takes a buyer's order and hands it to the inventory nodes in turn.
 * It has neither the database nor a lock.
 */
@NullMarked
package io.github.distlock.sample.orders;

import org.jspecify.annotations.NullMarked;
