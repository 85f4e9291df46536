/**
 * The steps of the idea, one class each, as textbooks and production code have them. Each
 * step fixes the fault of the step before, and shows the next fault:
 * {@link io.github.distlock.sample.inventory.history.MkdirStock mkdir},
 * {@link io.github.distlock.sample.inventory.history.SetnxStock setnx},
 * {@link io.github.distlock.sample.inventory.history.SetnxExpireStock setnx-expire},
 * {@link io.github.distlock.sample.inventory.history.SetnxGetsetStock setnx-getset},
 * {@link io.github.distlock.sample.inventory.history.SetExFixedStock set-ex-fixed},
 * {@link io.github.distlock.sample.inventory.history.SetPxUniqueStock set-px-unique}. Two
 * use the database instead of a lock ({@code optimistic}, {@code for-update}), and one
 * serves ten buyers at a time ({@code segments}).
 */
@NullMarked
package io.github.distlock.sample.inventory.history;

import org.jspecify.annotations.NullMarked;
