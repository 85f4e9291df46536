package io.github.distlock.waiting;

import org.jspecify.annotations.Nullable;

/**
 * The result of a downgrade.
 *
 * @param writer the outcome of the writer's release
 * @param reader the reader, which holds the lock since that release; {@code null} if that
 * is not certain, and then its ticket is given back
 */
public record DowngradeResult(ReleaseOutcome writer, @Nullable Holder reader) {
}
