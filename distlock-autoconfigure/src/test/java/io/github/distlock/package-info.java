/**
 * Tests that concern the whole library.
 */
package io.github.distlock;
