package io.github.distlock.test;

import io.github.distlock.LockMode;

/**
 * A lock that the code under test acquired. Re-entries are none.
 *
 * @param key what was locked
 * @param name label of the lock
 * @param mode how it is shared
 * @param store name of the store it was acquired in
 * @param fencingToken the token of this stay
 */
public record LockAcquisition(String key, String name, LockMode mode, String store, long fencingToken) {
}
