package io.github.distlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockLostException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The lock for tests without Spring fulfils the contract of a lock.
 */
class FakeHeldLockTests {

	private final FakeHeldLock lock = FakeHeldLock.of("stock-42", 7);

	@Test
	void itIsHeldUntilItIsClosedAndClosedOnce() {
		assertThat(this.lock.isHeld()).isTrue();
		assertThat(this.lock.remaining()).isPositive();
		assertThat(this.lock.fencingToken()).isEqualTo(7);
		assertThat(this.lock.isReleased()).isFalse();
		this.lock.close();
		assertThat(this.lock.isHeld()).isFalse();
		assertThat(this.lock.isReleased()).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::close);
	}

	@Test
	void itReportsItsLossOnce() {
		List<String> callbacks = new ArrayList<>();
		this.lock.onLost(() -> callbacks.add("before"));
		this.lock.lose();
		this.lock.lose();
		this.lock.onLost(() -> callbacks.add("after"));
		assertThat(callbacks).containsExactly("before", "after");
		assertThat(this.lock.isHeld()).isFalse();
		assertThat(this.lock.remaining()).isEqualTo(Duration.ZERO);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::close);
		assertThat(this.lock.isReleased()).isFalse();
	}

}
