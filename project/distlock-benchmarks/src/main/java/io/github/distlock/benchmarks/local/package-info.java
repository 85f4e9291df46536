/**
 * Locks in the memory of one JVM, measured by JMH.
 */
@NullMarked
package io.github.distlock.benchmarks.local;

import org.jspecify.annotations.NullMarked;
