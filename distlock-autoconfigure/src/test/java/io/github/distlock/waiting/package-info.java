/**
 * Tests of the {@code waiting} room.
 */
package io.github.distlock.waiting;
