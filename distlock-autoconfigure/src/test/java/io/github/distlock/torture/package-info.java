/**
 * The torture test: many JVMs lock a few keys while a nemesis breaks what it can.
 * Everything is recorded, and a checker decides afterwards whether the promises were
 * kept.
 */
@NullMarked
package io.github.distlock.torture;

import org.jspecify.annotations.NullMarked;
