/**
 * The server that locks are kept in, started and ended here, and what it tells about
 * itself.
 */
@NullMarked
package io.github.distlock.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
