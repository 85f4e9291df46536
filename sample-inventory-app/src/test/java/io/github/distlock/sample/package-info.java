/**
 * Tests of the whole demonstration, as processes.
 */
@NullMarked
package io.github.distlock.sample;

import org.jspecify.annotations.NullMarked;
