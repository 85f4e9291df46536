/**
 * Tests of the steps of the idea.
 */
@NullMarked
package io.github.distlock.sample.inventory.history;

import org.jspecify.annotations.NullMarked;
