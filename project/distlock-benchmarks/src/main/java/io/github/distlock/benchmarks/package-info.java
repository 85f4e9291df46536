/**
 * Our lock and its peers side by side against a real Redis: the program that starts all.
 */
@NullMarked
package io.github.distlock.benchmarks;

import org.jspecify.annotations.NullMarked;
