/**
 * The public API: the {@link io.github.distlock.DistributedLock} annotation, the
 * {@link io.github.distlock.LockRegistry} with its requests and held locks, events and
 * exceptions. Application code uses this package. It depends on no other package of the
 * library.
 */
@NullMarked
package io.github.distlock;

import org.jspecify.annotations.NullMarked;
