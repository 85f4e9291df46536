/**
 * An application whose components inherit their locked methods.
 */
@NullMarked
package io.github.distlock.test.warehouse;

import org.jspecify.annotations.NullMarked;
