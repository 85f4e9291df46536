/**
 * Tests of the {@code environment} package.
 */
package io.github.distlock.environment;
