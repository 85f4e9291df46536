/**
 * Lets callers wait for locks: the waiters of each key, deadlines, retries, and the
 * hand-off inside the JVM. The entry point is
 * {@link io.github.distlock.waiting.KeyTable}, which only the {@code registry} package
 * calls. {@code KeyState} is the core: one state machine for each key, whose effects
 * {@code CommandSender} carries out.
 */
@NullMarked
package io.github.distlock.waiting;

import org.jspecify.annotations.NullMarked;
