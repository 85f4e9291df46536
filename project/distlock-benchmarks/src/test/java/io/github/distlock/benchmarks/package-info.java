/**
 * Tests of what measures.
 */
@NullMarked
package io.github.distlock.benchmarks;

import org.jspecify.annotations.NullMarked;
