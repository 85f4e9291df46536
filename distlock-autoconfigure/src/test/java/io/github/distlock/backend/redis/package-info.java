/**
 * Tests of the {@code backend.redis} room.
 */
package io.github.distlock.backend.redis;
