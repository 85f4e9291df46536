package io.github.distlock.waiting;

import java.time.Duration;
import java.util.random.RandomGenerator;

import io.github.distlock.backend.TimeSource;

/**
 * What all key queues of a registry share.
 *
 * @param clock the clocks
 * @param random for the delays of retries
 * @param handOffLimits how long the lock may stay in this JVM
 * @param backendTimeout how long the store may fail to answer before waiting ends
 * @param answerTimeout how long a caller that tries once waits for the answer of another
 * JVM
 * @param waiterCounts how many callers of this JVM wait for each key
 */
record KeySettings(TimeSource clock, RandomGenerator random, HandOffLimits handOffLimits, Duration backendTimeout,
		Duration answerTimeout, WaiterCounts waiterCounts) {

}
