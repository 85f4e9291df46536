package io.github.distlock.metrics;

import java.time.Duration;
import java.util.Map;

/**
 * What the gauges of held locks show.
 *
 * @param longest for each name of a lock how long the longest one has been held
 * @param atRisk how many locks are likely to be lost soon
 * @param kept how many locks are kept although no caller holds them
 */
public record HoldReading(Map<String, Duration> longest, int atRisk, int kept) {
}
