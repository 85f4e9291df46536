package io.github.distlock.backend.redlock;

import java.time.Duration;

/**
 * How the store of several nodes works.
 *
 * @param nodeTimeout how long one node may take to answer
 * @param longestLease the longest lease that is granted; a node that has been up for less
 * does not count
 * @param tokensPerGrant how many fencing tokens one grant covers: one more than the lock
 * is passed on inside a JVM
 */
public record RedlockSettings(Duration nodeTimeout, Duration longestLease, int tokensPerGrant) {
}
