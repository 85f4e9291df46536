/**
 * JVMs that the launcher starts, and which end with it.
 */
@NullMarked
package io.github.distlock.benchmarks.jvms;

import org.jspecify.annotations.NullMarked;
