/**
 * Spring Boot's actuator over the registries: the endpoint {@code distlocks}, its recent
 * events, its operations for operators, and the health of the stores. Only the
 * auto-configuration creates these objects.
 */
@NullMarked
package io.github.distlock.actuate;

import org.jspecify.annotations.NullMarked;
