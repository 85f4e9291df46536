/**
 * The only room where callers wait: the local queue of each key, deadlines, interrupts,
 * and the place of the hand-off inside the JVM. Its door is the waiting room; the
 * registry room calls it.
 */
@NullMarked
package io.github.distlock.waiting;

import org.jspecify.annotations.NullMarked;
