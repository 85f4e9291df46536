/**
 * Tests of the {@code waiting} package.
 */
package io.github.distlock.engine;
