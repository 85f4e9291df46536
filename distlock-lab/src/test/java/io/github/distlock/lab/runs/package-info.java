/**
 * Tests of the package.
 */
@NullMarked
package io.github.distlock.lab.runs;

import org.jspecify.annotations.NullMarked;
