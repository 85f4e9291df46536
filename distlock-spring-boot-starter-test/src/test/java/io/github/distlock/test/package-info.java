/**
 * Tests of the test support.
 */
@NullMarked
package io.github.distlock.test;

import org.jspecify.annotations.NullMarked;
