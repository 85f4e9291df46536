/**
 * Leads a call of an annotated method to its lock. Never uses a store.
 * <p>
 * At start-up, {@code LockAnnotationFinder} finds the annotations of a method, and
 * {@code LockDefinitions} reads and checks them and caches the result as
 * {@code MethodLocks}. {@code LockedBeanVerifier} refuses beans whose methods would run
 * without their locks.
 * <p>
 * At a call, {@code LockInterceptor} passes the invocation and its {@code MethodLocks} to
 * the invoker for the return type, such as {@code BlockingInvoker}. The invoker gets the
 * call with its keys and registries, a {@code LockedCall}, from {@code LockResolver},
 * acquires the locks, runs the method, and releases the locks with {@code LockRelease}.
 * Without the locks, {@code FailurePolicy} determines what the caller gets.
 * <p>
 * Only the auto-configuration uses this package: it registers a
 * {@code DistributedLockAdvisor} with its {@code LockEnvironment}. The registry for
 * Spring Integration uses {@code KeyText}, so that its keys follow the same rules.
 */
@NullMarked
package io.github.distlock.aop;

import org.jspecify.annotations.NullMarked;
