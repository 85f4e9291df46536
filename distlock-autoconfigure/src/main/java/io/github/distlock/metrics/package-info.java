/**
 * Publishes lock events as Micrometer meters.
 * {@link io.github.distlock.metrics.LockMetrics} is the listener for a registry;
 * {@link io.github.distlock.metrics.LockMeters} contains the names.
 */
@NullMarked
package io.github.distlock.metrics;

import org.jspecify.annotations.NullMarked;
