/**
 * What the meters show.
 */
@NullMarked
package io.github.distlock.metrics;

import org.jspecify.annotations.NullMarked;
