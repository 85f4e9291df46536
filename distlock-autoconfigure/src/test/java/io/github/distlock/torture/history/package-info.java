/**
 * The history of a run: one line for each event, and the code that reads it.
 */
@NullMarked
package io.github.distlock.torture.history;

import org.jspecify.annotations.NullMarked;
