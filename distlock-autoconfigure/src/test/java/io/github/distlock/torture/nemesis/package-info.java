/**
 * Who breaks connections, servers and JVMs, and records when.
 */
@NullMarked
package io.github.distlock.torture.nemesis;

import org.jspecify.annotations.NullMarked;
