/**
 * What a user's code touches: the {@link io.github.distlock.DistributedLock} annotation,
 * the {@link io.github.distlock.LockRegistry}, the requests it takes, the locks it gives,
 * the events it tells and the exceptions it throws. Everything here is public contract;
 * nothing here uses another package of the library.
 */
@NullMarked
package io.github.distlock;

import org.jspecify.annotations.NullMarked;
