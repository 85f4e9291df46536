/**
 * The same lock in every store: the classes differ in what {@code @DistributedLock} says,
 * and a node has those whose store is enabled. {@code distlock.*} says where the stores
 * are.
 */
@NullMarked
package io.github.distlock.sample.inventory.stores;

import org.jspecify.annotations.NullMarked;
