/**
 * How the locks of the code that runs now get to other threads. Called by Micrometer's
 * context propagation, where that is on the class path.
 */
@NullMarked
package io.github.distlock.context;

import org.jspecify.annotations.NullMarked;
