/**
 * Locks of this library for Spring Integration.
 * {@link io.github.distlock.integration.IntegrationLockRegistry} is API; applications
 * create it for a registry that is not the primary one.
 */
@NullMarked
package io.github.distlock.integration;

import org.jspecify.annotations.NullMarked;
