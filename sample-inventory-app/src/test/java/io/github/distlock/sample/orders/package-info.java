/**
 * Tests of the order service.
 */
@NullMarked
package io.github.distlock.sample.orders;

import org.jspecify.annotations.NullMarked;
