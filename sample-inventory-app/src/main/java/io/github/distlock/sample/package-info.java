/**
 * The demonstration: a shop on two nodes that sells its stock twice, and its fix. The
 * shop is in the packages {@code inventory} and {@code orders}; what starts it, drives it
 * and shows it is below {@code lab}. One program with several roles;
 * {@link io.github.distlock.sample.OversellDemo} tells them apart.
 */
@NullMarked
package io.github.distlock.sample;

import org.jspecify.annotations.NullMarked;
