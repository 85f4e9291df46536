/**
 * An inventory node: it reads the stock, checks it and writes it back, under one of many
 * strategies that differ only in the lock. The code is that of a user of distlock: start
 * with {@link io.github.distlock.sample.inventory.FencedSale}. The launcher starts two of
 * these nodes on one database. The package {@code history} has the steps that led to such
 * a lock, and the package {@code stores} the same lock in every store.
 */
@NullMarked
package io.github.distlock.sample.inventory;

import org.jspecify.annotations.NullMarked;
