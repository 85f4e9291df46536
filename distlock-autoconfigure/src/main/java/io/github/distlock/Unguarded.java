package io.github.distlock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * States that a method, or each method of a class, needs no lock for what it does, with
 * all that it calls. {@code @AuditLocks} of {@code distlock-spring-boot-starter-test}
 * does not judge it. Nothing else changes: locks of the method are still acquired.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Unguarded {

	/**
	 * Why no lock is needed, for the readers of the code.
	 * @return the reason
	 */
	String value();

}
