/**
 * The engine: the keys in use, the callers that wait for them, the locks that are held,
 * their renewal, and the commands that are sent to the store. The entry point is
 * {@link io.github.distlock.engine.KeyTable}, which only the {@code registry} package
 * calls. {@code KeyState} is the core: one state machine for each key, whose effects
 * {@code CommandSender} carries out. {@code LeaseRenewer} is the watchdog.
 */
@NullMarked
package io.github.distlock.engine;

import org.jspecify.annotations.NullMarked;
