/**
 * Tests of the package.
 */
@NullMarked
package io.github.distlock.lab.page;

import org.jspecify.annotations.NullMarked;
