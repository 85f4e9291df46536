package io.github.distlock.backend.local;

/**
 * The lock, as somebody holds it.
 *
 * @param holder who was granted it
 * @param firstToken the first fencing token of the grant
 * @param lastToken the last one
 * @param endNanos when the lease ends, by the store's monotonic clock
 */
record LocalGrant(LocalTicket holder, long firstToken, long lastToken, long endNanos) {

	boolean hasEnded(long nowNanos) {
		return this.endNanos - nowNanos <= 0;
	}

	boolean isReader() {
		return this.holder.ticket().isReader();
	}

	/** A lease is never shortened. */
	LocalGrant until(long nanos) {
		return (nanos - this.endNanos > 0) ? new LocalGrant(this.holder, this.firstToken, this.lastToken, nanos) : this;
	}

}
