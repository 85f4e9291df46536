/**
 * Tests of the actuator endpoint and of health, over HTTP.
 */
@NullMarked
package io.github.distlock.actuate;

import org.jspecify.annotations.NullMarked;
