/**
 * The torture test: many JVMs lock a few keys while a nemesis injects faults. All events
 * are recorded, and a checker decides afterwards whether each guarantee was kept.
 */
@NullMarked
package io.github.distlock.torture;

import org.jspecify.annotations.NullMarked;
