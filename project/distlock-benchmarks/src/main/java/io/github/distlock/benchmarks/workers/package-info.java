/**
 * JVMs that host every contender, run what they are told and answer with what they saw.
 */
@NullMarked
package io.github.distlock.benchmarks.workers;

import org.jspecify.annotations.NullMarked;
