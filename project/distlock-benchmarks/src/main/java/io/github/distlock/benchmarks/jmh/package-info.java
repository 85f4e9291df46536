/**
 * Runs of JMH, each in a JVM of its own.
 */
@NullMarked
package io.github.distlock.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
