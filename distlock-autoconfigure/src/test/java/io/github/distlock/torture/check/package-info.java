/**
 * Decides from a history whether the guarantees of the design were kept, with one class
 * for each rule. Does not use the library.
 */
@NullMarked
package io.github.distlock.torture.check;

import org.jspecify.annotations.NullMarked;
