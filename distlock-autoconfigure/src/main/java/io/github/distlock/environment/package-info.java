/**
 * What the engine takes from the machine: clocks, randomness, threads, locks. A
 * simulation replaces it. The packages of the engine use nothing of the kind directly.
 */
@NullMarked
package io.github.distlock.environment;

import org.jspecify.annotations.NullMarked;
