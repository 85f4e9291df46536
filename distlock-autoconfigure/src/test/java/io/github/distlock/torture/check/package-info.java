/**
 * The history of a run, one line for each event, and what decides from it whether the
 * guarantees of the design were kept, with one method for each rule. Does not use the
 * library.
 */
@NullMarked
package io.github.distlock.torture.check;

import org.jspecify.annotations.NullMarked;
