/**
 * Propagates the locks of the running code to other threads. Called by Micrometer's
 * context propagation, if it is on the class path.
 */
@NullMarked
package io.github.distlock.context;

import org.jspecify.annotations.NullMarked;
