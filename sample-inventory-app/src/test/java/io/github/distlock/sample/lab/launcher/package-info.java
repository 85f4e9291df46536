/**
 * Tests of the launcher's parts.
 */
@NullMarked
package io.github.distlock.sample.lab.launcher;

import org.jspecify.annotations.NullMarked;
