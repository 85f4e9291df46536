/**
 * Tests of the {@code thread} package.
 */
package io.github.distlock.thread;
