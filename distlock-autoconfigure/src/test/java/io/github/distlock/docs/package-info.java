/**
 * Tests of the pages of the documentation: their examples compile and run.
 */
@NullMarked
package io.github.distlock.docs;

import org.jspecify.annotations.NullMarked;
