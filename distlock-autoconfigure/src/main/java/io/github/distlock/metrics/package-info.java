/**
 * Listens to locks and shows them as Micrometer meters.
 */
@NullMarked
package io.github.distlock.metrics;

import org.jspecify.annotations.NullMarked;
