/**
 * Acquires and releases locks for callers that wait: the local queue of each key,
 * deadlines, interrupts, retries, and the hand-off inside the JVM. The entry point is
 * {@link io.github.distlock.waiting.LockAcquirer}, which only the {@code registry}
 * package calls. {@code KeyQueue} is the core: one state machine for each key, whose
 * effects {@code CommandSender} carries out.
 */
@NullMarked
package io.github.distlock.waiting;

import org.jspecify.annotations.NullMarked;
