/**
 * Tests of the local store.
 */
@NullMarked
package io.github.distlock.backend.local;

import org.jspecify.annotations.NullMarked;
