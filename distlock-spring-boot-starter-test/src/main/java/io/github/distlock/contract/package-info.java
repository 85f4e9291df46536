/**
 * The contract of a lock store, as tests: extend
 * {@link io.github.distlock.contract.LockStoreContract} and open the store. Published as
 * the test artifact of {@code distlock-autoconfigure}; uses neither a store of this
 * project nor other tests.
 */
@NullMarked
package io.github.distlock.contract;

import org.jspecify.annotations.NullMarked;
