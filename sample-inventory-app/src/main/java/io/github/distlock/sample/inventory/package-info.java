/**
 * An inventory node: it reads the stock, checks it and writes it back, behind one of
 * three strategies that differ in nothing but the lock. Written as a user of distlock
 * would write it; {@link io.github.distlock.sample.inventory.LockedStock} is the place to
 * look at. The launcher starts two of these nodes on one database. The steps that led to
 * such a lock are in the package {@code history}, the same lock in every store in
 * {@code stores}.
 */
@NullMarked
package io.github.distlock.sample.inventory;

import org.jspecify.annotations.NullMarked;
