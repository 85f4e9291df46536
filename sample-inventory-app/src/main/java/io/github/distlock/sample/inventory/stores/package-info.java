/**
 * The same lock in every store: the classes differ only in the attributes of
 * {@code @DistributedLock}. A node has those whose store is enabled. The properties
 * {@code distlock.*} configure the stores.
 */
@NullMarked
package io.github.distlock.sample.inventory.stores;

import org.jspecify.annotations.NullMarked;
