package io.github.distlock.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Exclusion: one holder at a time, over threads and JVMs.
 */
interface ExclusionContract extends ContractTests {

	int THREADS = 6;

	int ROUNDS = 25;

	@Test
	default void contendingThreadsOfSeveralNodesNeverOverlap() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		// Not atomic, and not visible to others but by the lock.
		int[] counter = new int[1];
		List<ContractNode> nodes = List.of(one(), two(), stage().node(Stage.LEASE));
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			ContractNode node = nodes.get(i % nodes.size());
			workers.add(stage().inThread(() -> {
				for (int n = 0; n < ROUNDS; n++) {
					try (HeldLock lock = node.registry().acquire(request())) {
						if (inside.incrementAndGet() > 1) {
							overlaps.incrementAndGet();
						}
						counter[0]++;
						inside.decrementAndGet();
					}
				}
				return true;
			}));
		}
		for (Future<?> worker : workers) {
			stage().get(worker);
		}
		assertThat(overlaps).hasValue(0);
		assertThat(counter[0]).isEqualTo(THREADS * ROUNDS);
		stage().awaitIdle();
	}

}
