/**
 * Support for tests of applications. Annotated code runs with its real interceptor, keys
 * and registries over a store in memory that the test controls
 * ({@link io.github.distlock.test.TestLocks}). Not for production.
 */
@NullMarked
package io.github.distlock.test;

import org.jspecify.annotations.NullMarked;
