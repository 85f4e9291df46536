/**
 * Tests of the {@code renewal} room.
 */
package io.github.distlock.renewal;
