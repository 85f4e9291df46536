/**
 * What happened, one line an event, and how it is read again.
 */
@NullMarked
package io.github.distlock.torture.history;

import org.jspecify.annotations.NullMarked;
