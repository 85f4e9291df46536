/**
 * The worker JVMs, which lock and record what they do.
 */
@NullMarked
package io.github.distlock.torture.worker;

import org.jspecify.annotations.NullMarked;
