package io.github.distlock.backend;

import java.time.Duration;

import io.github.distlock.test.FakeHeldLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ControlledLockTests {

	@Test
	void aLockOfAnotherRegistryIsClosedAndHasALeaseThatCannotBeChanged() {
		FakeHeldLock lock = FakeHeldLock.of("stock-42");
		assertThat(ControlledLock.isSessionBound(lock)).isFalse();
		assertThatIllegalArgumentException().isThrownBy(() -> ControlledLock.expireAfter(lock, Duration.ofSeconds(1)))
			.withMessageContainingAll("no ControlledLock can have no leaseTime", "FakeHeldLock");
		ControlledLock.abandon(lock);
		assertThat(lock.isReleased()).isTrue();
	}

}
