/**
 * Tests of the package.
 */
@NullMarked
package io.github.distlock.lab.check;

import org.jspecify.annotations.NullMarked;
