/**
 * Thread factory of the library. Every package that starts threads may use it.
 */
@NullMarked
package io.github.distlock.thread;

import org.jspecify.annotations.NullMarked;
