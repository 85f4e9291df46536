package io.github.distlock.backend;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a store to a release.
 *
 * @param released whether the ticket held the lock; {@code false} means gone
 * @param next what an attempt of the successor would answer; {@code null} if there was no
 * successor or, after gone, if it was not queued and must attempt itself
 */
public record ReleaseResult(boolean released, @Nullable AttemptResult next) {
}
