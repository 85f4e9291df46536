/**
 * Tests of the package.
 */
@NullMarked
package io.github.distlock.lab.console;

import org.jspecify.annotations.NullMarked;
