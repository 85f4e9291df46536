/**
 * Tests of the pages of the documentation: their examples compile and run, and the
 * reference is generated from the code.
 */
@NullMarked
package io.github.distlock.docs;

import org.jspecify.annotations.NullMarked;
