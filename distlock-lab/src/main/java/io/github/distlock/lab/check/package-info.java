/**
 * Checks recordings of the flight recorder: whether two holders had a lock at once. It
 * uses no clock of a JVM but its {@code System.nanoTime()}, and only classes of the JDK,
 * so that it runs from its folder of classes alone.
 */
@NullMarked
package io.github.distlock.lab.check;

import org.jspecify.annotations.NullMarked;
