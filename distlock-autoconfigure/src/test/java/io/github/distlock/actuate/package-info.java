/**
 * Tests of the actuator endpoint and of health, over HTTP and JMX.
 */
@NullMarked
package io.github.distlock.actuate;

import org.jspecify.annotations.NullMarked;
