package io.github.distlock.test;

import io.github.distlock.LockMode;

/**
 * A lock that the code under test acquired. Re-entries do not count.
 *
 * @param key key of the lock
 * @param name label of the lock
 * @param mode how the lock is shared
 * @param store name of the store
 * @param fencingToken fencing token of the acquisition
 */
public record LockAcquisition(String key, String name, LockMode mode, String store, long fencingToken) {
}
