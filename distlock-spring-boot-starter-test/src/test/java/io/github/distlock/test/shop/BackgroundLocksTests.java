package io.github.distlock.test.shop;

import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test slice of an application that releases its locks in the background: a test does
 * not have to wait for them.
 */
@DistlockTest(properties = "distlock.release=background")
@Import(ScriptedLedger.class)
@Timeout(120)
class BackgroundLocksTests {

	@Autowired
	private StockService stock;

	@Autowired
	private TestLocks locks;

	@Test
	void aLockIsReleasedWhenTheMethodHasReturned() {
		int stillHeld = 0;
		for (int i = 0; i < 200; i++) {
			this.stock.deduct("42");
			stillHeld += this.locks.held().size();
		}
		assertThat(stillHeld).isZero();
	}

}
