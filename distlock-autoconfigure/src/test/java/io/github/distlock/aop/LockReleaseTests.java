package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.HeldLock;
import org.junit.jupiter.api.Test;

import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * The release of several locks of one call.
 */
class LockReleaseTests {

	private final HeldLock first = mock(HeldLock.class);

	private final HeldLock second = mock(HeldLock.class);

	@Test
	void anErrorOfOneUnusedLockLeavesNoOtherLockHeld() {
		doThrow(new NoClassDefFoundError("missing")).when(this.second).abandon();
		LockRelease.abandon(List.of(this.first, this.second));
		verify(this.first).abandon();
	}

}
