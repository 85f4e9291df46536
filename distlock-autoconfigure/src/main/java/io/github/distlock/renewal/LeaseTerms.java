package io.github.distlock.renewal;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long a lock may be held.
 *
 * @param lease the lease asked of the store, each time
 * @param renewed whether the watchdog keeps it alive; otherwise it ends after
 * {@code lease}
 * @param maxHold when the watchdog stops, from the start; {@code null} means never
 * @param owner the thread without which the lock makes no sense: when it has died the
 * lock is lost; {@code null} means none
 */
public record LeaseTerms(Duration lease, boolean renewed, @Nullable Duration maxHold, @Nullable Thread owner) {
}
