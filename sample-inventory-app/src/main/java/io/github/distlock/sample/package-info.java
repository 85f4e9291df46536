/**
 * The sample: the package {@code shop} is an application that uses distlock, the package
 * {@code strategies} has the steps that led to its lock, and
 * {@link io.github.distlock.sample.OversellDemo} starts the lab, which shows both.
 */
@NullMarked
package io.github.distlock.sample;

import org.jspecify.annotations.NullMarked;
