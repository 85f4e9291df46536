/**
 * Locks of other libraries in a database.
 */
@NullMarked
package io.github.distlock.benchmarks.peers.jdbc;

import org.jspecify.annotations.NullMarked;
