/**
 * The Redis store, and the Redis nodes of the Redlock store. Each verb is one script: see
 * {@code base.lua} beside this package for the data of a lock. The public entry is
 * {@link io.github.distlock.backend.redis.RedisLockBackend}.
 */
@NullMarked
package io.github.distlock.backend.redis;

import org.jspecify.annotations.NullMarked;
