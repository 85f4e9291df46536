/**
 * Our lock as a contender: an application as a user writes it, for each store.
 */
@NullMarked
package io.github.distlock.benchmarks.distlock;

import org.jspecify.annotations.NullMarked;
