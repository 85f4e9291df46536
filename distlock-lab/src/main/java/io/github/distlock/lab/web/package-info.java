/**
 * The check of {@code Host} and {@code Origin}. The services of this sample have no login
 * and can start runs and faults, so only pages that they served themselves may call them.
 * An application imports {@link io.github.distlock.lab.web.CallerCheck}.
 */
@NullMarked
package io.github.distlock.lab.web;

import org.jspecify.annotations.NullMarked;
