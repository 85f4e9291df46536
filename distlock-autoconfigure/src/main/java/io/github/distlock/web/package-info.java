/**
 * Answers HTTP requests whose lock was not acquired, in servlet and in reactive
 * applications. Only the auto-configuration creates these objects.
 */
@NullMarked
package io.github.distlock.web;

import org.jspecify.annotations.NullMarked;
