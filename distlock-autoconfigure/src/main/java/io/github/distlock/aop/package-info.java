/**
 * Leads a call of an annotated method to its lock. Never uses a store.
 * <p>
 * At start-up, {@code LockAnnotationFinder} finds the annotations of a method, and
 * {@code LockDefinitions} reads and checks them and caches the result as
 * {@code MethodLocks}. {@code LockedBeanVerifier} refuses beans whose methods would run
 * without their locks.
 * <p>
 * At a call, {@code LockInterceptor} makes a {@code LockedCall} of the invocation and its
 * {@code MethodLocks}: it has the keys and registries of the call, acquires the locks,
 * runs the method, and releases the locks. Without the locks, it asks the
 * {@code FailurePolicy} what the caller gets. {@code StageInvoker} and
 * {@code ReactiveInvoker} do the same with calls whose work ends after their method has
 * returned: which threads do what is all that differs.
 * <p>
 * Only the auto-configuration uses this package: it registers a
 * {@code DistributedLockAdvisor} with its {@code LockEnvironment}. The registry for
 * Spring Integration uses {@code KeyText}, so that its keys follow the same rules.
 */
@NullMarked
package io.github.distlock.aop;

import org.jspecify.annotations.NullMarked;
