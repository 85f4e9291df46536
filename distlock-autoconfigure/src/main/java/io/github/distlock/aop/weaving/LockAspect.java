package io.github.distlock.aop.weaving;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * What AspectJ's weaver puts around annotated methods. {@code META-INF/aop.xml} of the
 * library names it to the weaver; it is never a bean. Outside of all other aspects, so
 * that woven transactions are inside of the lock. Classes of proxies stay as they are:
 * they lead to an object whose class is woven.
 * <p>
 * Woven methods find their aspect through {@link #aspectOf()}. The weaver adds that
 * method to an aspect which it weaves itself. The {@code aop.xml} of an application
 * includes the classes of the application only, so the method stands here.
 */
@Aspect
@DeclarePrecedence("io.github.distlock.aop.weaving.LockAspect, *")
public class LockAspect {

	private static final LockAspect INSTANCE = new LockAspect();

	/**
	 * Return the only instance. Called by woven methods.
	 * @return the aspect
	 */
	public static LockAspect aspectOf() {
		return INSTANCE;
	}

	/**
	 * Return whether there is an instance. Part of what AspectJ expects of an aspect.
	 * @return {@code true}
	 */
	public static boolean hasAspect() {
		return true;
	}

	/**
	 * Run a call under its lock, if its application wants methods to be locked this way.
	 * @param call the call
	 * @return what the method returns
	 * @throws Throwable what the method or its lock throws
	 */
	@Around("(execution(@io.github.distlock.DistributedLock * *(..))"
			+ " || execution(@(@io.github.distlock.DistributedLock *) * *(..))"
			+ " || execution(@io.github.distlock.DistributedLocks * *(..))"
			+ " || execution(public !static * (@io.github.distlock.DistributedLock *).*(..))"
			+ " || execution(public !static * (@io.github.distlock.DistributedLocks *).*(..))"
			+ " || execution(public !static * (@(@io.github.distlock.DistributedLock *) *).*(..)))"
			+ " && !within(java.lang.reflect.Proxy+) && !within(org.springframework.aop.SpringProxy+)")
	public @Nullable Object lock(ProceedingJoinPoint call) throws Throwable {
		return WovenCalls.invoke(new WovenInvocation(call));
	}

}
