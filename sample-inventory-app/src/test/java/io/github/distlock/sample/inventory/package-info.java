/**
 * Tests of the inventory node.
 */
@NullMarked
package io.github.distlock.sample.inventory;

import org.jspecify.annotations.NullMarked;
