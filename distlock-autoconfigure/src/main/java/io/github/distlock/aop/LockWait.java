package io.github.distlock.aop;

import java.time.Duration;
import java.util.function.Supplier;

import io.github.distlock.LockRequest;

/**
 * The wait times of the locks of one call, which all began at one moment.
 */
final class LockWait {

	private final boolean several;

	private final long startNanos;

	private final Supplier<Duration> usual;

	/**
	 * Begin to wait.
	 * @param several whether there is more than one lock
	 * @param usual wait time of requests that say none
	 */
	LockWait(boolean several, Supplier<Duration> usual) {
		this.several = several;
		this.startNanos = several ? System.nanoTime() : 0;
		this.usual = usual;
	}

	/**
	 * Say what to ask the registry for next. Of several locks: with what is left of the
	 * wait time, and without a lease time, which must not run while the call waits for
	 * the others.
	 * @param wanted the lock whose turn it is
	 * @return the request
	 */
	LockRequest request(LockTarget wanted) {
		LockRequest asked = wanted.request();
		if (!this.several) {
			return asked;
		}
		Duration whole = (asked.waitTime() != null) ? asked.waitTime() : this.usual.get();
		return new LockRequest(asked.key(), asked.mode(), rest(whole), null, asked.fair(), asked.name(),
				asked.minHold());
	}

	private Duration rest(Duration whole) {
		if (whole.isNegative()) {
			return whole;
		}
		Duration rest = whole.minusNanos(System.nanoTime() - this.startNanos);
		return rest.isNegative() ? Duration.ZERO : rest;
	}

}
