/**
 * Tests of the lab.
 */
@NullMarked
package io.github.distlock.lab;

import org.jspecify.annotations.NullMarked;
