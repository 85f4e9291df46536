/**
 * Tests of the commit guard.
 */
@NullMarked
package io.github.distlock.transaction;

import org.jspecify.annotations.NullMarked;
