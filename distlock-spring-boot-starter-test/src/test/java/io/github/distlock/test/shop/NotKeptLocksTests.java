package io.github.distlock.test.shop;

import java.time.Duration;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test slice of an application that keeps its locks in production: a test finds them
 * released.
 */
@DistlockTest(properties = "distlock.handoff.keep=1s")
@Import(ScriptedLedger.class)
@Timeout(120)
class NotKeptLocksTests {

	@Autowired
	private StockService stock;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private TestLocks locks;

	@Test
	void aLockIsReleasedWhenTheMethodHasReturned() {
		this.stock.deduct("42");
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void aRequestForAKeptLockIsAccepted() {
		this.registry.acquire(LockRequest.of("key").keep(Duration.ofSeconds(1))).close();
		assertThat(this.locks.held()).isEmpty();
	}

}
