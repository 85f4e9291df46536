/**
 * Tests of the check of {@code Host} and {@code Origin}.
 */
@NullMarked
package io.github.distlock.sample.web;

import org.jspecify.annotations.NullMarked;
