package io.github.distlock.waiting;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyQueueTableTests extends KeyQueueFixture {

	private final KeyQueueTable table = new KeyQueueTable();

	/** Keys with the same hash code, so that all are behind each other in one part. */
	private static List<String> sameHash(int bits) {
		List<String> keys = new ArrayList<>(List.of(""));
		for (int i = 0; i < bits; i++) {
			keys = keys.stream().flatMap((key) -> List.of(key + "Aa", key + "BB").stream()).toList();
		}
		return keys;
	}

	private KeyQueue obtain(String key) {
		return this.table.obtain(key, this);
	}

	@Test
	void aKeyHasOneQueueUntilThatIsRemovedWhateverOtherKeysThereAre() {
		List<String> keys = new ArrayList<>(sameHash(4));
		IntStream.range(0, 2000).forEach((number) -> keys.add("key-" + number));
		Map<String, KeyQueue> expected = new HashMap<>();
		Random random = new Random(7);
		for (int step = 0; step < 50_000; step++) {
			String key = keys.get(random.nextInt((step % 2 == 0) ? 16 : keys.size()));
			if (random.nextInt(3) == 0) {
				this.table.remove(key);
				expected.remove(key);
			}
			else if (random.nextBoolean()) {
				KeyQueue queue = obtain(key);
				assertThat(expected.putIfAbsent(key, queue)).isIn(null, queue);
			}
			assertThat(this.table.get(key)).isSameAs(expected.get(key));
		}
		assertThat(keys).allSatisfy((key) -> assertThat(this.table.get(key)).isSameAs(expected.get(key)));
		assertThat(this.table.all()).containsExactlyInAnyOrderElementsOf(expected.values());
	}

	@Test
	void aQueueIsFoundWhileOthersAreRemovedAndTheTableGrows() throws Exception {
		List<String> others = new ArrayList<>(sameHash(5));
		others.forEach(this::obtain);
		String key = others.remove(others.size() - 1);
		KeyQueue queue = this.table.get(key);
		AtomicBoolean ended = new AtomicBoolean();
		ExecutorService threads = Executors.newFixedThreadPool(2);
		try {
			Callable<Integer> reader = () -> {
				int misses = 0;
				while (!ended.get()) {
					misses += (this.table.get(key) != queue || obtain(key) != queue) ? 1 : 0;
				}
				return misses;
			};
			List<Future<Integer>> readers = List.of(threads.submit(reader), threads.submit(reader));
			for (int round = 0; round < 20_000; round++) {
				List<String> some = others.subList(round % 20, round % 20 + 5);
				some.forEach(this.table::remove);
				some.forEach(this::obtain);
				if (round % 100 == 0) {
					obtain("key-" + round);
				}
			}
			ended.set(true);
			for (Future<Integer> each : readers) {
				assertThat(Objects.requireNonNull(each.get(20, TimeUnit.SECONDS))).isZero();
			}
		}
		finally {
			ended.set(true);
			threads.shutdownNow();
		}
	}

}
