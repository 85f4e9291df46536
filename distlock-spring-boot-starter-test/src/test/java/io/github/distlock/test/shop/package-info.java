/**
 * A small application and its tests, written as a user of the library would.
 */
@NullMarked
package io.github.distlock.test.shop;

import org.jspecify.annotations.NullMarked;
