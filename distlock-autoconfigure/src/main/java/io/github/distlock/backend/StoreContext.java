package io.github.distlock.backend;

/**
 * The surroundings of an open store.
 *
 * @param instance the instance part of every ticket that will be used
 * @param signals the receiver of the store's signals
 */
public record StoreContext(String instance, LockSignals signals) {
}
