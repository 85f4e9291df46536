/**
 * Tests of the files that operators use: docs/operations.
 */
@NullMarked
package io.github.distlock.operations;

import org.jspecify.annotations.NullMarked;
