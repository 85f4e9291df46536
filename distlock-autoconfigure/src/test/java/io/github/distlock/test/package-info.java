/**
 * Tests of the support for tests.
 */
@NullMarked
package io.github.distlock.test;

import org.jspecify.annotations.NullMarked;
