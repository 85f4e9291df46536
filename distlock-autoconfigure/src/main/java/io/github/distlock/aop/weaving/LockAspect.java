package io.github.distlock.aop.weaving;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * The aspect that AspectJ's weaver applies to annotated methods. It is declared in
 * {@code META-INF/aop.xml} of the library and is never a bean. It is outside all other
 * aspects, so that woven transactions are inside the lock. Proxy classes are not woven:
 * their calls reach an object of a woven class.
 * <p>
 * Woven methods get the aspect from {@link #aspectOf()}. The weaver would add that method
 * to the aspect, but only if it weaves the aspect class as well. The {@code aop.xml} of
 * an application includes only the classes of the application, so the method is written
 * here.
 */
@Aspect
@DeclarePrecedence("io.github.distlock.aop.weaving.LockAspect, *")
public class LockAspect {

	/** Static because woven code calls the static method {@link #aspectOf()}. */
	private static final LockAspect INSTANCE = new LockAspect();

	/**
	 * Return the only instance. Called by woven methods.
	 * @return the aspect
	 */
	public static LockAspect aspectOf() {
		return INSTANCE;
	}

	/**
	 * Return whether there is an instance. AspectJ requires this method.
	 * @return {@code true}
	 */
	public static boolean hasAspect() {
		return true;
	}

	/**
	 * Run a call under its lock, if its application is in mode {@code aspectj}.
	 * @param call the call
	 * @return the result of the method
	 * @throws Throwable the exception of the method or the lock
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
