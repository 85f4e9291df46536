package io.github.distlock.transaction;

import java.time.Duration;

/**
 * When a transaction that works under a lock may commit.
 *
 * @param guarded whether anybody looks at all
 * @param margin what must be left of each lock's lease; zero asks only that it is held
 */
public record CommitTerms(boolean guarded, Duration margin) {
}
