package io.github.distlock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What holds a lock, as far as it is known.
 *
 * @param instance the registry and the JVM that hold the lock
 * @param mode the mode in which the lock is held
 * @param since when the store granted the lock, by the clock of the store, or
 * {@code null} if that is not known
 * @param caller the name or the id of the thread that holds the lock, or {@code null} if
 * another JVM or asynchronous work holds it
 */
public record LockHolder(LockInstance instance, LockMode mode, @Nullable Instant since, @Nullable String caller) {
}
