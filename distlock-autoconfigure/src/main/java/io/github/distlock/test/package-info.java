/**
 * For the tests of those who use the library: annotated code runs with its real
 * interceptor, keys and registries over a store in memory that the test controls
 * ({@link io.github.distlock.test.TestLocks}). Needs spring-boot-starter-test, which is
 * no dependency of the library; nothing here is for production.
 */
@NullMarked
package io.github.distlock.test;

import org.jspecify.annotations.NullMarked;
