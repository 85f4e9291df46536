/**
 * Tests that run the code of {@code docs/recipes.md} and of other pages.
 */
@NullMarked
package io.github.distlock.docs.recipes;

import org.jspecify.annotations.NullMarked;
