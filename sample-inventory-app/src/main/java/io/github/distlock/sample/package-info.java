/**
 * The demonstration: a shop on two nodes that sells its stock twice, and its fix. One
 * program with several roles; {@link io.github.distlock.sample.OversellDemo} tells them
 * apart.
 */
@NullMarked
package io.github.distlock.sample;

import org.jspecify.annotations.NullMarked;
