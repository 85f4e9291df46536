package io.github.distlock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Run the annotated method under mutual exclusion across all threads of all JVMs that
 * share the lock store.
 * <p>
 * The annotation works on a public, protected or package-private method of a Spring bean
 * that is called through its proxy. On a class or interface it applies to each public
 * method. It is found on the method, the class, their interfaces and super types, and as
 * a meta-annotation (with {@link AliasFor} overrides). A call from inside the same object
 * does not pass through the proxy and is not locked.
 * <p>
 * Startup checks the annotations of all beans that it creates, and fails with a
 * {@link LockDefinitionException} that names the first wrong annotation. A bean that is
 * created later is checked then. No method with a wrong annotation ever runs. At call
 * time, the method throws {@link LockNotAcquiredException} if the wait time has passed,
 * {@link LockBackendException} if the lock store fails, {@link LockDefinitionException}
 * if the key expression evaluates to something that is not a key, and
 * {@link LockLostException} if the lock was lost before the method returned. An exception
 * of the method itself always reaches the caller unchanged.
 * <p>
 * Several annotations, or a key expression that evaluates to a collection or an array,
 * mean several locks. A call acquires all of them or none, and equal ones once. All
 * methods acquire their locks in the same order (by registry, then by key), so that no
 * two methods wait for each other. The locks are released in reverse order. All wait
 * times count from the start of the call, and all lease times from the moment the last
 * lock was acquired. {@link LockContext#all()} returns all of them, the last one in that
 * order first.
 * <p>
 * A lock with a lease cannot stop a paused process that continues after its lease has
 * expired. Where a late write must be impossible, pass the
 * {@link HeldLock#fencingToken()} of {@link LockContext#current()} to the resource.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

	/**
	 * Alias of {@link #key()}.
	 * @return a SpEL expression
	 */
	@AliasFor("key")
	String value() default "";

	/**
	 * SpEL expression for the key of the lock: {@code "'order-' + #id"}. It can use
	 * method arguments by name ({@code #id}) and by position ({@code #a0}, {@code #p0}),
	 * beans ({@code @tenants.current()}) and placeholders (<code>${...}</code>). A
	 * collection or an array means one lock for each element, up to 1,000: all or none,
	 * equal ones once, within one wait time. Empty (the default): one lock for the method
	 * of the class that declares it. Startup fails if beans of different classes would
	 * share that lock because they inherit the method.
	 * @return a SpEL expression
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * SpEL expression that decides whether a call needs the lock:
	 * {@code "#amount > 100"}. It is evaluated before the key, with the same variables.
	 * If it is false, the method runs without this lock. Any result other than true or
	 * false is an error. Empty (the default): every call needs the lock.
	 * @return a SpEL expression
	 */
	String condition() default "";

	/**
	 * Label of the lock in metrics, events and messages; never part of the key.
	 * Placeholders are resolved. Empty (the default): simple class name and method name.
	 * @return a label with few possible values
	 */
	String name() default "";

	/**
	 * How long a call waits for the lock: {@code "500ms"}, {@code "2s"}, {@code "PT2S"}
	 * or a placeholder. {@code "0"} tries once, {@code "-1"} waits without a limit. Empty
	 * (the default): {@code distlock.wait-time}.
	 * @return a duration
	 */
	String waitTime() default "";

	/**
	 * How long the lock may be held: {@code "500ms"}, {@code "10s"}, {@code "PT10S"} or a
	 * placeholder; at least 100 ms. When the time has passed, the lock is lost. Empty
	 * (the default): the watchdog renews the lease until the method returns.
	 * @return a duration
	 */
	String leaseTime() default "";

	/**
	 * Minimum time for which the lock stays taken, counted from its acquisition, even if
	 * the method returns earlier: {@code "30s"} or a placeholder; not longer than
	 * {@link #leaseTime}, if there is one.
	 * <p>
	 * This is for scheduled jobs: a machine whose clock is behind finds the lock taken
	 * and does not run the job again. The caller is not delayed, and it cannot enter the
	 * lock again either. If the JVM ends before the time has passed, the lock stays in
	 * the store until its lease expires; a store without leases (ZooKeeper, a database
	 * connection) releases it then. Empty (the default): the lock is free when the method
	 * returns.
	 * @return a duration
	 */
	String minHold() default "";

	/**
	 * How many calls of this JVM may wait for the key: {@code "20"} or a placeholder, 1
	 * or more. If that many callers wait already, a call is refused at once: it gets what
	 * {@link #onFailure} and {@link #fallback} say for a wait time that has passed, or a
	 * {@link LockNotAcquiredException} with the reason
	 * {@link LockOutcome#TOO_MANY_WAITING}.
	 * <p>
	 * This keeps a hot key from parking all threads of the JVM. A call waits from the
	 * moment when it queues behind a holder or another caller of this JVM; while its own
	 * first attempt is on its way, it does not. All callers that wait are counted, those
	 * without a limit included. Re-entries, calls that try once and callers of other JVMs
	 * are not. With several keys, the limit applies to each key. Empty (the default):
	 * {@code distlock.max-waiting}.
	 * @return a number of callers
	 */
	String maxWaiting() default "";

	/**
	 * How the lock is shared: {@link LockMode#EXCLUSIVE} (the default), or
	 * {@link LockMode#READ} and {@link LockMode#WRITE} of a read/write lock. Startup
	 * fails if the store does not support the mode.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How many calls of all JVMs may run at once for the key: {@code "5"} or a
	 * placeholder, 1 to 10,000. The call is a reader ({@link LockMode#READ}) that enters
	 * while fewer calls than that hold the lock and no earlier one waits for it; see
	 * {@link LockRequest#permits(int)}. Calls enter in the order of their arrival, so
	 * {@link #fair} changes nothing. Methods with the mode {@code WRITE} or
	 * {@code EXCLUSIVE} and the same key wait until all of these calls have left.
	 * <p>
	 * A call that does not get a permit within its wait time gets a
	 * {@link LockNotAcquiredException}, which a web application answers with HTTP status
	 * 429. Startup fails with the mode {@code WRITE}, and if the store does not support
	 * permits: {@code redis} and {@code local} do. Empty (the default): no permits.
	 * @return a number of calls
	 */
	String permits() default "";

	/**
	 * Whether callers get the lock in the order of their arrival, across all threads of
	 * all JVMs. This reduces throughput: each caller has its own ticket in the store, and
	 * the lock is never handed over inside a JVM. By default, the order of arrival
	 * applies within a JVM, and the JVMs take turns.
	 * @return whether the lock is fair
	 */
	boolean fair() default false;

	/**
	 * What happens to a call that does not get the lock within its wait time. A failing
	 * lock store and an interrupted wait always cause an exception.
	 * @return the reaction
	 */
	OnFailure onFailure() default OnFailure.THROW;

	/**
	 * Name of the method that is called instead, without the lock and on the bean itself,
	 * if the lock is not acquired within the wait time.
	 * <p>
	 * The fallback belongs to the same class or is inherited by it, and may be private.
	 * It has the same parameters and a compatible return type. One additional parameter
	 * at the end, if present, receives the exception. If the type of that parameter is
	 * {@link LockBackendException}, {@link LockException} or a super type of it, the
	 * fallback is also called if the lock store fails, which causes an exception
	 * otherwise. A fallback with a {@code LockBackendException} parameter is called only
	 * in that case; a method may have one fallback of each kind, with the same name.
	 * <p>
	 * The fallback is never called for an interrupted wait, an invalid key or a lost
	 * lock. It cannot be combined with {@link OnFailure#SKIP}. Empty (the default): no
	 * fallback.
	 * @return a method name
	 */
	String fallback() default "";

	/**
	 * Which registry the lock belongs to: the qualifier or name of a {@link LockRegistry}
	 * bean, such as {@code "zookeeper"} if that store is enabled in addition to the
	 * default one, or {@code "composite"}. Placeholders are resolved. Locks of different
	 * registries are independent, even if their keys are equal. Empty (the default): the
	 * registry that is injected without a qualifier.
	 * @return a qualifier
	 */
	String registry() default "";

}
