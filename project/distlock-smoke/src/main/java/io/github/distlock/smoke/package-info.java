/**
 * One small application with a locked method for each kind of work and store. Its sources
 * are compiled, and its tests run, once for each line of Spring Boot.
 */
@NullMarked
package io.github.distlock.smoke;

import org.jspecify.annotations.NullMarked;
