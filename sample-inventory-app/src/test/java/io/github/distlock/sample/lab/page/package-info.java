/**
 * Tests of the lab without its processes.
 */
@NullMarked
package io.github.distlock.sample.lab.page;

import org.jspecify.annotations.NullMarked;
