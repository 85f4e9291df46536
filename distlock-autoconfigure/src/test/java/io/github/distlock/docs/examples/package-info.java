/**
 * Types that the examples of the documentation use without declaring them.
 */
@NullMarked
package io.github.distlock.docs.examples;

import org.jspecify.annotations.NullMarked;
