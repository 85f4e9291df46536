package io.github.distlock.test;

import io.github.distlock.LockOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A lock that the code under test requested and did not get.
 *
 * @param key key of the lock, {@code null} if it could not be evaluated
 * @param name label of the lock
 * @param outcome how the attempt ended
 */
public record LockRefusal(@Nullable String key, String name, LockOutcome outcome) {
}
