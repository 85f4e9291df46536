package io.github.distlock.registry;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.HeldLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that acquires many locks.
 */
class ThreadHoldsTests extends TwoRegistries {

	@Test
	void locksThatAnotherThreadClosesDoNotPileUp() throws Exception {
		List<HeldLock> held = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			held.add(this.one.acquire(request("key-" + i)));
		}
		assertThat(this.one.snapshot().heldByThisThread()).isEqualTo(100);
		Thread other = new Thread(() -> held.forEach(HeldLock::close));
		other.start();
		other.join();
		for (int i = 0; i < 100; i++) {
			this.one.acquire(request("next-" + i)).close();
			held.add(this.one.acquire(request("open-" + i)));
		}
		assertThat(this.one.snapshot().heldByThisThread()).isEqualTo(100);
		held.subList(100, 200).forEach(HeldLock::close);
		assertThat(this.one.snapshot().heldByThisThread()).isZero();
	}

}
