/**
 * Tests of the {@code backend} room.
 */
package io.github.distlock.backend;
