package io.github.distlock;

/**
 * Computes a prefix for the keys of locks, for example the current tenant. A bean of this
 * type applies to all locks of the application: those of annotations, of registries, of
 * {@link java.util.concurrent.locks.Lock} views and of Spring Integration. Must be
 * thread-safe, must not block, and must not need a {@link LockRegistry}.
 * <p>
 * The same key with two prefixes is two locks. Prefix and key are separated by
 * {@value #SEPARATOR}, which a prefix must not contain, so the prefix {@code a} with the
 * key {@code bc} is never the prefix {@code ab} with the key {@code c}. The store,
 * events, messages and the endpoint have the whole key; {@link HeldLock#key()} is the key
 * without its prefix.
 */
@FunctionalInterface
public interface LockKeyPrefix {

	/** What is between a prefix and its key. */
	char SEPARATOR = ':';

	/**
	 * Compute the prefix of a key. Called at each acquisition, on the thread of the
	 * caller: for a method that returns a {@code CompletionStage} when it is called, for
	 * one that returns a reactive type at each subscription. Releases do not need it,
	 * except {@code unlock()} if its thread holds the same key with several prefixes. An
	 * exception that it throws reaches the caller unchanged.
	 * @param key the key that is to be locked
	 * @return the prefix, never {@code null}; may be empty, which is a prefix like any
	 * other
	 */
	String compute(String key);

}
