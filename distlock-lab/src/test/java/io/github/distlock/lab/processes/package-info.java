/**
 * Tests of the package.
 */
@NullMarked
package io.github.distlock.lab.processes;

import org.jspecify.annotations.NullMarked;
