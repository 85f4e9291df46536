/**
 * The code of {@code docs/recipes.md}, and the tests that run it.
 */
@NullMarked
package io.github.distlock.docs.recipes;

import org.jspecify.annotations.NullMarked;
