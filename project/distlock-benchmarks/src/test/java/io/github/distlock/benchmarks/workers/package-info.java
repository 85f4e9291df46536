/**
 * Tests of what measures.
 */
@NullMarked
package io.github.distlock.benchmarks.workers;

import org.jspecify.annotations.NullMarked;
