/**
 * What all servers have in common: where they are, and what they count.
 */
@NullMarked
package io.github.distlock.benchmarks.servers;

import org.jspecify.annotations.NullMarked;
