/**
 * Listens to locks and shows them as Micrometer meters. Opens two doors:
 * {@link io.github.distlock.metrics.LockMetrics}, a listener for a registry, and
 * {@link io.github.distlock.metrics.LockMeters}, the names.
 */
@NullMarked
package io.github.distlock.metrics;

import org.jspecify.annotations.NullMarked;
