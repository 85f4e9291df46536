/**
 * Tests of the records of a node.
 */
@NullMarked
package io.github.distlock.sample.lab.records;

import org.jspecify.annotations.NullMarked;
