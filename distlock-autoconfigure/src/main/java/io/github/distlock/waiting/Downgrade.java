package io.github.distlock.waiting;

import org.jspecify.annotations.Nullable;

/**
 * What became of a writer that wanted to go on as a reader.
 *
 * @param departure how the writer left
 * @param reader the reader's stay, which began in the same moment; {@code null} if that
 * is not certain, and then it has been given back
 */
public record Downgrade(ReleaseOutcome departure, @Nullable Holder reader) {
}
