/**
 * Tests of this package.
 */
@NullMarked
package io.github.distlock.benchmarks.servers.redis;

import org.jspecify.annotations.NullMarked;
