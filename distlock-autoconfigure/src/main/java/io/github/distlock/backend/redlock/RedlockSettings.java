package io.github.distlock.backend.redlock;

import java.time.Duration;

/**
 * Settings of the Redlock store.
 *
 * @param keyPrefix what the names of all locks begin with, for messages
 * @param nodeTimeout the time-out of one command at one node
 * @param longestLease the longest lease that is granted; a node that has been up for less
 * does not count
 * @param tokensPerGrant number of fencing tokens of one grant: one more than the number
 * of local hand-offs
 */
public record RedlockSettings(String keyPrefix, Duration nodeTimeout, Duration longestLease, int tokensPerGrant) {
}
