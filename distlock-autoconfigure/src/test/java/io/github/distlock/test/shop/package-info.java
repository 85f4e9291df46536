/**
 * A small application and its tests, as a user of the library writes them.
 */
@NullMarked
package io.github.distlock.test.shop;

import org.jspecify.annotations.NullMarked;
