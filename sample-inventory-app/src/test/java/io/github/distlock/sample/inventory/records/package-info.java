/**
 * Tests of the records of a node.
 */
@NullMarked
package io.github.distlock.sample.inventory.records;

import org.jspecify.annotations.NullMarked;
