/**
 * Measures the structure of the main sources, and checks the rules that can be counted:
 * cycles of classes, duplicate names, words.
 */
@NullMarked
package io.github.distlock.structure;

import org.jspecify.annotations.NullMarked;
