/**
 * The Redis store: scripts, inbox and clock baseline. One script a verb; see the
 * {@code .lua} resources beside this package.
 */
@NullMarked
package io.github.distlock.backend.redis;

import org.jspecify.annotations.NullMarked;
