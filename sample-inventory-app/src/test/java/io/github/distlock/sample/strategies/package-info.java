/**
 * Tests of the strategies, and of the shop under them.
 */
@NullMarked
package io.github.distlock.sample.strategies;

import org.jspecify.annotations.NullMarked;
