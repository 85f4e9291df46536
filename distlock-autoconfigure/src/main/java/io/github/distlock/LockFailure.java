package io.github.distlock;

import java.lang.reflect.Method;
import java.util.List;

/**
 * A call of an annotated method that did not get its lock.
 *
 * @param method the method that was called, as the bean's class has it
 * @param name label of the lock that was not to be had
 * @param keys all keys that the call needed
 * @param exception why: {@link LockNotAcquiredException} if others hold the lock,
 * {@link LockBackendException} if the store failed
 */
public record LockFailure(Method method, String name, List<String> keys, LockException exception) {
}
