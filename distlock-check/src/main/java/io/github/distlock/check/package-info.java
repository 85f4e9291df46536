/**
 * The program {@code distlock-check}: asks a server, and uses locks in it, to find out
 * whether it is good enough for them. {@link io.github.distlock.check.DistlockCheck} is
 * the program, {@code Checks} has what is checked by using locks, and
 * {@code checks.properties} what a server is asked, how its answers are judged, and the
 * words of the documentation. No other module may depend on it.
 */
@NullMarked
package io.github.distlock.check;

import org.jspecify.annotations.NullMarked;
