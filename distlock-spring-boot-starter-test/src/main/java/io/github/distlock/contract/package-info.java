/**
 * The contract of a lock store, as tests: extend
 * {@link io.github.distlock.contract.LockStoreContract} and open the store. Uses no store
 * of this project.
 */
@NullMarked
package io.github.distlock.contract;

import org.jspecify.annotations.NullMarked;
