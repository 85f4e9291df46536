package io.github.distlock.transaction;

import java.time.Duration;

import io.github.distlock.HeldLock;

/**
 * A lock whose remaining lease is set by the test.
 */
final class StubLock implements HeldLock {

	private volatile Duration left = Duration.ofSeconds(30);

	void left(Duration left) {
		this.left = left;
	}

	void lose() {
		left(Duration.ZERO);
	}

	@Override
	public String key() {
		return "stock";
	}

	@Override
	public long fencingToken() {
		return 1;
	}

	@Override
	public boolean isHeld() {
		return !this.left.isZero();
	}

	@Override
	public Duration remaining() {
		return this.left;
	}

	@Override
	public void onLost(Runnable callback) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() {
		lose();
	}

}
