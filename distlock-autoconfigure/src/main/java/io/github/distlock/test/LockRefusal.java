package io.github.distlock.test;

import io.github.distlock.LockOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A lock that the code under test asked for and did not get.
 *
 * @param key what was to be locked, {@code null} if it could not be evaluated
 * @param name label of the lock
 * @param outcome why not
 */
public record LockRefusal(@Nullable String key, String name, LockOutcome outcome) {
}
