/**
 * Tests of the shop.
 */
@NullMarked
package io.github.distlock.sample.shop;

import org.jspecify.annotations.NullMarked;
