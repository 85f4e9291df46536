/**
 * The steps of the idea, one class each, as they stand in textbooks and in production
 * code. Each mends the fault of the one before and shows the next:
 * {@link io.github.distlock.sample.inventory.history.MkdirStock mkdir},
 * {@link io.github.distlock.sample.inventory.history.SetnxStock setnx},
 * {@link io.github.distlock.sample.inventory.history.SetnxExpireStock setnx-expire},
 * {@link io.github.distlock.sample.inventory.history.SetnxGetsetStock setnx-getset},
 * {@link io.github.distlock.sample.inventory.history.SetExFixedStock set-ex-fixed},
 * {@link io.github.distlock.sample.inventory.history.SetPxUniqueStock set-px-unique}. Two
 * ask the database instead of a lock ({@code optimistic}, {@code for-update}), one needs
 * fewer turns ({@code segments}).
 */
@NullMarked
package io.github.distlock.sample.inventory.history;

import org.jspecify.annotations.NullMarked;
