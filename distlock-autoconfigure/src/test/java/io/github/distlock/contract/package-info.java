/**
 * The contract of a lock store, as tests: extend
 * {@link io.github.distlock.contract.LockStoreContract} and say how to open the store.
 * Published as the test artifact of {@code distlock-autoconfigure}; nothing here uses a
 * store of ours or other tests.
 */
@NullMarked
package io.github.distlock.contract;

import org.jspecify.annotations.NullMarked;
