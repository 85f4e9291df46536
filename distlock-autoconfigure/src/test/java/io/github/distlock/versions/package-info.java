/**
 * JVMs of this version and of an earlier one, which is built from the history of the
 * repository, share locks in each store, as during a rolling update.
 */
@NullMarked
package io.github.distlock.versions;

import org.jspecify.annotations.NullMarked;
