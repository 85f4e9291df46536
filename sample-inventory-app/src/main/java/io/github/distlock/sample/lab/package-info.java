/**
 * What drives the shop and shows it, and what a user of distlock need not read:
 * {@code launcher} starts servers and nodes and carries out runs, {@code records} is what
 * a node records of a run, and {@code page} turns that into the events on the page.
 */
@NullMarked
package io.github.distlock.sample.lab;

import org.jspecify.annotations.NullMarked;
