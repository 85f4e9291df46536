/**
 * What is measured: who locks what for how long, and which figures come of it.
 */
@NullMarked
package io.github.distlock.benchmarks.workloads;

import org.jspecify.annotations.NullMarked;
