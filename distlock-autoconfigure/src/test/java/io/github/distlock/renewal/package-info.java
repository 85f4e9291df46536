/**
 * Tests of the renewal package.
 */
package io.github.distlock.renewal;
