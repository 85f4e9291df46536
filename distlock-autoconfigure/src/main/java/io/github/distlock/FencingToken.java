package io.github.distlock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the {@code long} or {@code Long} parameter of a {@link DistributedLock} method
 * that receives the {@link HeldLock#fencingToken() fencing token} of the call, whatever
 * the caller passes. May stand on the method of the class or of its interface.
 * <p>
 * It is 0, which is lower than every token, when the method runs without its lock because
 * of a {@link DistributedLock#condition() condition}, and in a
 * {@link DistributedLock#fallback() fallback}: a resource that checks tokens refuses the
 * write. With {@code distlock.enabled=false} it rises with the clock.
 * <p>
 * A method has one such parameter at most, and one annotation; a key that yields several
 * keys at once is an error, since tokens of different keys say nothing about each other.
 * The parameter cannot be used in the key or the condition.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface FencingToken {

}
