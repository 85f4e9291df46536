/**
 * Observes acquisitions and the work under locks with Micrometer's Observation API.
 * {@link io.github.distlock.observation.LockObservationDocumentation} contains the names.
 * {@link io.github.distlock.observation.LockObserver} is what the rest of the library
 * calls; it needs no Micrometer.
 */
@NullMarked
package io.github.distlock.observation;

import org.jspecify.annotations.NullMarked;
