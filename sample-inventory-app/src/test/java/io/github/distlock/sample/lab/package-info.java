/**
 * Tests of the lab without its processes.
 */
@NullMarked
package io.github.distlock.sample.lab;

import org.jspecify.annotations.NullMarked;
