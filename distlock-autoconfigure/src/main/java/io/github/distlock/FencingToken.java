package io.github.distlock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Pass the {@link HeldLock#fencingToken() fencing token} of the call to this {@code long}
 * or {@code Long} parameter of a {@link DistributedLock} method, whatever value the
 * caller passes. The annotation may be on the method of the class or of its interface.
 * <p>
 * The value is 0, which is lower than every token, if the method runs without its lock
 * because of a {@link DistributedLock#condition() condition}, and in a
 * {@link DistributedLock#fallback() fallback}. A resource that checks tokens refuses such
 * a write. With {@code distlock.enabled=false} the value comes from the clock and rises
 * with each call.
 * <p>
 * With {@link DistributedLock#permits() permits} the token rises with each entry, while
 * earlier calls are still inside. It protects against earlier {@code WRITE} holders only:
 * a resource that refuses lower tokens would refuse living holders.
 * <p>
 * A method has at most one such parameter, and then exactly one annotation. A key
 * expression that gives several keys is an error, since tokens of different keys cannot
 * be compared. The parameter cannot be used in the key or the condition.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface FencingToken {

}
