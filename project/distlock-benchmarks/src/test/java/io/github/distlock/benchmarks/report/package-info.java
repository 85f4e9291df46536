/**
 * Tests of what measures.
 */
@NullMarked
package io.github.distlock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
