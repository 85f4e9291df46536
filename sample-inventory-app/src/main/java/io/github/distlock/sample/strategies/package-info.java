/**
 * The history of the shop's lock: strategies that sell the same stock and differ in the
 * lock, one class each. Begin with
 * {@link io.github.distlock.sample.strategies.UnprotectedStock none} and
 * {@link io.github.distlock.sample.strategies.SynchronizedStock synchronized}. Of those
 * made by hand, each step corrects the fault of an earlier one and shows the next:
 * {@link io.github.distlock.sample.strategies.MkdirStock mkdir},
 * {@link io.github.distlock.sample.strategies.SetnxStock setnx},
 * {@link io.github.distlock.sample.strategies.SetnxExpireStock setnx-expire},
 * {@link io.github.distlock.sample.strategies.SetnxGetsetStock setnx-getset},
 * {@link io.github.distlock.sample.strategies.SetExFixedStock set-ex-fixed},
 * {@link io.github.distlock.sample.strategies.SetPxUniqueStock set-px-unique}. Two use
 * the database instead ({@code optimistic}, {@code for-update}), one serves ten buyers at
 * a time ({@code segments}), and the others have {@code @DistributedLock} in each store.
 * <p>
 * The lab runs them: {@code StrategyCatalogue} describes them to it, {@code Faults} and
 * {@code InstrumentedStock} break and record the shop from outside.
 */
@NullMarked
package io.github.distlock.sample.strategies;

import org.jspecify.annotations.NullMarked;
