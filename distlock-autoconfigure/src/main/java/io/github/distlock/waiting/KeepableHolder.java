package io.github.distlock.waiting;

import io.github.distlock.HandOff;
import io.github.distlock.backend.Validity;

/**
 * A holder under a grant that the store has marked as keepable. A class of its own, so
 * that other holders take no memory for this.
 */
final class KeepableHolder extends Holder {

	private final long keepNanos;

	/**
	 * Create a holder.
	 * @param same has everything else
	 * @param keepNanos how long to keep the lock after this holder, zero for not at all
	 */
	KeepableHolder(Holder same, long keepNanos) {
		super(same);
		this.keepNanos = keepNanos;
	}

	@Override
	Holder next(Validity current, HandOff how, WaitRequest request) {
		return new KeepableHolder(super.next(current, how, request), request.keepNanos());
	}

	@Override
	public boolean isKeepable() {
		return true;
	}

	@Override
	public long keepNanos() {
		return this.keepNanos;
	}

}
