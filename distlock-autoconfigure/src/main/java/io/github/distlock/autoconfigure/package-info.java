/**
 * Spring Boot auto-configuration: properties, conditions and beans. Only this package and
 * the test support use Spring Boot. No other package uses it.
 */
@NullMarked
package io.github.distlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
