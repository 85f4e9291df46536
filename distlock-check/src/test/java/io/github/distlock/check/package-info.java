/**
 * Tests of the check, against servers that the build brings.
 */
@NullMarked
package io.github.distlock.check;

import org.jspecify.annotations.NullMarked;
