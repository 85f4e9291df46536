package io.github.distlock.contract;

import java.time.Duration;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.backend.TimeSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Clocks: the clock of a node may be wrong by hours, without any effect.
 */
interface ClockContract extends ExclusionContract {

	private ContractNode ahead(Duration lease) {
		return stage().node(lease, new ShiftedClock(Duration.ofHours(5)));
	}

	private ContractNode behind(Duration lease) {
		return stage().node(lease, new ShiftedClock(Duration.ofHours(-5)));
	}

	@Test
	default void nodesWithWrongClocksExcludeEachOtherAndTheirTokensIncrease() throws Exception {
		contend(List.of(ahead(Stage.LEASE), behind(Stage.LEASE), one()));
	}

	@Test
	default void aLeaseEndsInTimeWhicheverClockIsWrong() {
		ContractNode ahead = ahead(Stage.LEASE);
		ContractNode behind = behind(Stage.LEASE);
		for (List<ContractNode> pair : List.of(List.of(ahead, behind), List.of(behind, ahead))) {
			HeldLock lock = pair.get(0).registry().acquire(request().leaseTime(store().shortLease()));
			if (pair.get(1).finds(key())) {
				assertThat(lock.isHeld()).isFalse();
			}
			assertNextEnters(pair.get(1), lock);
			assertThat(lock.isHeld()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
	}

	@Test
	default void aCrashedNodeWithAWrongClockFreesItsLockInTheEnd() {
		for (ContractNode doomed : List.of(ahead(store().shortLease()), behind(store().shortLease()))) {
			doomed.acquire(key());
			doomed.backend().crash();
			two().acquire(key()).close();
		}
	}

	@Test
	default void renewalsKeepTheLocksOfNodesWithWrongClocks() {
		Duration lease = watchedLease();
		ContractNode ahead = ahead(lease);
		ContractNode behind = behind(lease);
		try (HeldLock lock = ahead.acquire(key()); HeldLock other = behind.acquire(key() + "-other")) {
			await().during(lease.plus(lease.dividedBy(2)))
				.pollInterval(Duration.ofMillis(50))
				.until(() -> lock.isHeld() && other.isHeld() && !one().finds(key()) && !one().finds(key() + "-other"));
		}
		assertThat(ahead.lost()).isEmpty();
		assertThat(behind.lost()).isEmpty();
	}

	/**
	 * The clocks of a machine with a wrong wall clock, and with another origin of the
	 * monotonic clock.
	 */
	static final class ShiftedClock implements TimeSource {

		private final Duration ahead;

		ShiftedClock(Duration ahead) {
			this.ahead = ahead;
		}

		@Override
		public long nanoTime() {
			return System.nanoTime() + this.ahead.toNanos() * 7;
		}

		@Override
		public long wallMillis() {
			return System.currentTimeMillis() + this.ahead.toMillis();
		}

	}

}
