/**
 * Our lock and its peers behind one small interface. Knows nothing of what is measured.
 */
@NullMarked
package io.github.distlock.benchmarks.contenders;

import org.jspecify.annotations.NullMarked;
