/**
 * Locks of other libraries in Redis.
 */
@NullMarked
package io.github.distlock.benchmarks.peers.redis;

import org.jspecify.annotations.NullMarked;
