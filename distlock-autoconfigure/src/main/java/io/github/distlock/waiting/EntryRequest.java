package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockMode;

/**
 * Who wants to enter.
 *
 * @param key what is locked
 * @param mode how it is shared
 * @param fair whether the order of arrival holds over all JVMs
 * @param lease the lease to ask the store for
 * @param waitTime how long to wait: zero tries once, negative waits for ever
 * @param onWaiting called once, on the caller's thread, when the lock cannot be had at
 * once and waiting begins
 */
public record EntryRequest(String key, LockMode mode, boolean fair, Duration lease, Duration waitTime,
		Runnable onWaiting) {
}
