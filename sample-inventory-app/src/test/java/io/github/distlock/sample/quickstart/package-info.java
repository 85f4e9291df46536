/**
 * Test of the README's quick start: it is built with Maven and run.
 */
@NullMarked
package io.github.distlock.sample.quickstart;

import org.jspecify.annotations.NullMarked;
