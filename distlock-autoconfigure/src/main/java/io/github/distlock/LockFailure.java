package io.github.distlock;

import java.lang.reflect.Method;
import java.util.List;

/**
 * A call of an annotated method that did not get its lock.
 *
 * @param method the called method, as declared by the class of the bean
 * @param name label of the lock that was not acquired
 * @param keys all keys that the call needed
 * @param exception the reason: {@link LockNotAcquiredException} if the lock is held
 * elsewhere, {@link LockBackendException} if the store failed
 */
public record LockFailure(Method method, String name, List<String> keys, LockException exception) {
}
