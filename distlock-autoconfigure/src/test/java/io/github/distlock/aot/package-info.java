/**
 * An application with ahead-of-time processing that uses every feature, and the check of
 * its reflective calls against the hints for a native image.
 */
@NullMarked
package io.github.distlock.aot;

import org.jspecify.annotations.NullMarked;
