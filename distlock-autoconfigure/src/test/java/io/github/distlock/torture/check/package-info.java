/**
 * Decides from a history whether the promises of the design were kept. Knows nothing of
 * the library: each rule is a class of its own.
 */
@NullMarked
package io.github.distlock.torture.check;

import org.jspecify.annotations.NullMarked;
