/**
 * The faults of connections, servers and JVMs, with their times.
 */
@NullMarked
package io.github.distlock.torture.nemesis;

import org.jspecify.annotations.NullMarked;
