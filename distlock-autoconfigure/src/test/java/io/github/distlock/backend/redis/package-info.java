/**
 * Tests of the package {@code backend.redis}.
 */
package io.github.distlock.backend.redis;
