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
 * that is called through its proxy; on a class or interface it means each public method.
 * It is found on the method, the class, their interfaces and super types, and as a
 * meta-annotation (with {@link AliasFor} overrides). A call from inside the same object
 * does not pass the proxy and is not locked.
 * <p>
 * Start-up checks everything that can be checked, and fails with one
 * {@link LockDefinitionException} that names all mistakes of the application. No method
 * with a wrong annotation runs before. At call time the method ends with
 * {@link LockNotAcquiredException} when the wait time has passed,
 * {@link LockBackendException} when the lock store fails, {@link LockDefinitionException}
 * when the key evaluates to something that is no key, and {@link LockLostException} when
 * the lease was lost before the method returned. An exception of the method itself always
 * comes out unchanged.
 * <p>
 * Several annotations, or a key that yields a collection or an array, mean several locks:
 * all or nothing, each once. They are taken in one order over all methods (by registry,
 * then by key), so that no two methods wait for each other, and released in reverse. All
 * wait times count from the start of the call, and lease times from the moment in which
 * the last lock was had. {@link LockContext#all()} has all of them, the last in that
 * order first.
 * <p>
 * A lease lock cannot stop a paused process from going on after its lease has passed.
 * Where a late write must be impossible, hand {@link HeldLock#fencingToken()} of
 * {@link LockContext#current()} to the resource.
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
	 * SpEL expression that gives the key of the lock: {@code "'order-' + #id"}. Method
	 * arguments by name ({@code #id}) and by position ({@code #a0}, {@code #p0}), beans
	 * ({@code @tenants.current()}) and placeholders (<code>${...}</code>) can be used. A
	 * collection or an array means all of its elements, up to 1,000: each once, all or
	 * nothing, within one wait time. Empty (the default): one lock for the method of the
	 * class that declares it. Start-up fails if beans of different classes would share
	 * that lock because they inherit the method.
	 * @return a SpEL expression
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * SpEL expression that says whether a call needs the lock: {@code "#amount > 100"}.
	 * It is evaluated before the key, over the same variables; when it is false the
	 * method runs without this lock. Anything but true or false is an error. Empty (the
	 * default): every call needs it.
	 * @return a SpEL expression
	 */
	String condition() default "";

	/**
	 * Label of the lock in metrics, events and messages; never part of the key. Empty
	 * (the default): simple class name and method name. Placeholders are resolved.
	 * @return a label of few possible values
	 */
	String name() default "";

	/**
	 * How long a call waits for the lock: {@code "500ms"}, {@code "2s"}, {@code "PT2S"}
	 * or a placeholder; {@code "0"} tries once, {@code "-1"} waits for ever. Empty (the
	 * default): {@code distlock.wait-time}.
	 * @return a duration
	 */
	String waitTime() default "";

	/**
	 * How long the lock may be held: {@code "500ms"}, {@code "10s"}, {@code "PT10S"} or a
	 * placeholder; at least 100 ms. At its end the lock is lost. Empty (the default): the
	 * watchdog renews the lease until the method returns.
	 * @return a duration
	 */
	String leaseTime() default "";

	/**
	 * How long the lock stays taken at least, from its acquisition, though the method
	 * returns sooner: {@code "30s"} or a placeholder; not longer than {@link #leaseTime},
	 * if there is one. For scheduled jobs: a machine whose clock is late finds the lock
	 * taken and does not run the job again. The caller is not delayed, and cannot enter
	 * again either. If the JVM ends meanwhile, the lock is left to its lease in the
	 * store; a store without leases (ZooKeeper, a database connection) releases it then.
	 * Empty (the default): the lock is free when the method returns.
	 * @return a duration
	 */
	String minHold() default "";

	/**
	 * How the lock is shared: {@link LockMode#EXCLUSIVE} (the default), or
	 * {@link LockMode#READ} and {@link LockMode#WRITE} of a read/write lock. A mode that
	 * the store does not offer fails the start-up.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * Whether callers enter in the order of their arrival, over all threads of all JVMs.
	 * Costs throughput: each caller has a place of its own in the store, and the lock is
	 * never passed on inside a JVM. The default keeps the order of arrival within a JVM,
	 * and lets JVMs take turns.
	 * @return whether the lock is fair
	 */
	boolean fair() default false;

	/**
	 * What happens to a call that does not get the lock within its wait time. A failing
	 * lock store is always an exception, and so is an interrupted wait.
	 * @return the reaction
	 */
	OnFailure onFailure() default OnFailure.THROW;

	/**
	 * Name of the method that is called, without the lock, on the bean itself, instead of
	 * a method that does not get its lock within its wait time. It is one of the same
	 * class or inherited by it, private or not, with the same parameters and a result
	 * that can stand for the method's; one more parameter at the end, if it has one,
	 * takes the exception. If that parameter is a {@link LockBackendException}, a
	 * {@link LockException} or a super type of it, the fallback is called for a failing
	 * lock store too, which is an exception otherwise. A fallback with a
	 * {@code LockBackendException} is called for that alone; there may be one of each.
	 * Never called for an interrupted wait, a bad key or a lost lock. Empty (the
	 * default): none. Not together with {@link OnFailure#SKIP}.
	 * @return a method name
	 */
	String fallback() default "";

	/**
	 * Where the lock is kept: qualifier or bean name of a {@link LockRegistry} bean, such
	 * as {@code "zookeeper"} if that store is enabled beside the default one, or
	 * {@code "composite"}. Placeholders are resolved. Empty (the default): the registry
	 * that plain injection gives. Locks of different registries know nothing of each
	 * other, even if their keys are equal.
	 * @return a qualifier
	 */
	String registry() default "";

}
