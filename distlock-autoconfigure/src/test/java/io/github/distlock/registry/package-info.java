/**
 * Tests of the {@code registry} room.
 */
package io.github.distlock.registry;
