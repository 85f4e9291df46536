/**
 * Tests of this package.
 */
@NullMarked
package io.github.distlock.benchmarks.contenders;

import org.jspecify.annotations.NullMarked;
