/**
 * All contenders and all servers, by name.
 */
@NullMarked
package io.github.distlock.benchmarks.catalogue;

import org.jspecify.annotations.NullMarked;
