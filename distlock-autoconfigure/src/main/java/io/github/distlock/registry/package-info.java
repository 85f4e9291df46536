/**
 * Combines the engine and a store into a {@link io.github.distlock.LockRegistry}:
 * requests, re-entry, listeners, and shutdown. The auto-configuration creates the
 * registries.
 */
@NullMarked
package io.github.distlock.registry;

import org.jspecify.annotations.NullMarked;
