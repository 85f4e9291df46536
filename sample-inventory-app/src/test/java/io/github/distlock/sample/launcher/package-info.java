/**
 * Tests of the launcher's parts.
 */
@NullMarked
package io.github.distlock.sample.launcher;

import org.jspecify.annotations.NullMarked;
