/**
 * Tests of the package.
 */
@NullMarked
package io.github.distlock.lab.records;

import org.jspecify.annotations.NullMarked;
