/**
 * Tests of the registry package.
 */
package io.github.distlock.registry;
