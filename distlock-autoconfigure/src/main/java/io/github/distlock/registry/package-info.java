/**
 * Composes waiting, renewal and a store into a {@link io.github.distlock.LockRegistry}:
 * held locks, reentrancy, listeners, shutdown.
 */
@NullMarked
package io.github.distlock.registry;

import org.jspecify.annotations.NullMarked;
