package io.github.distlock.transaction;

import java.time.Duration;

/**
 * Conditions for the commit of a transaction that works under a lock.
 *
 * @param guarded whether commits are checked
 * @param margin minimum remaining lease of each lock; with zero the lock only has to be
 * held
 */
public record CommitTerms(boolean guarded, Duration margin) {
}
