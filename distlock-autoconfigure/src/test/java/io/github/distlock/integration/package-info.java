/**
 * Tests of Spring Integration over the locks of this library.
 */
@NullMarked
package io.github.distlock.integration;

import org.jspecify.annotations.NullMarked;
