/**
 * Properties, conditions and beans: the room that knows Spring Boot. Nobody uses it.
 */
@NullMarked
package io.github.distlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
