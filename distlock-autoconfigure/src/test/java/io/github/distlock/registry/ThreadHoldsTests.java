package io.github.distlock.registry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.distlock.HeldLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that holds many locks.
 */
class ThreadHoldsTests extends TwoRegistries {

	@Test
	void locksAreFoundInWhateverOrderTheyAreAcquiredAndReleased() {
		// These keys have the same hash code, so they collide.
		List<String> keys = new ArrayList<>(List.of("AaAa", "AaBB", "BBAa", "BBBB"));
		for (int i = 0; i < 60; i++) {
			keys.add("key-" + i);
		}
		Map<String, HeldLock> held = new HashMap<>();
		Random random = new Random(42);
		for (int step = 0; step < 2000; step++) {
			String key = keys.get(random.nextInt(keys.size()));
			HeldLock lock = held.remove(key);
			if (lock != null) {
				lock.close();
			}
			else {
				held.put(key, this.one.tryAcquire(request(key)).orElseThrow());
			}
			assertThat(this.one.snapshot().heldByThisThread()).isEqualTo(held.size());
			for (String other : held.keySet()) {
				HeldLock again = this.one.acquire(request(other));
				assertThat(again.fencingToken()).isEqualTo(held.get(other).fencingToken());
				again.close();
			}
		}
		held.values().forEach(HeldLock::close);
		assertThat(this.one.snapshot().heldByThisThread()).isZero();
		assertThat(this.one.snapshot().isIdle()).isTrue();
		assertThat(this.events.lost).isEmpty();
	}

}
