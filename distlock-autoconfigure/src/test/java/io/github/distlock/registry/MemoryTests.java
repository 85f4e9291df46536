package io.github.distlock.registry;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockStore;
import io.github.distlock.testing.HeapHistogram;
import io.github.distlock.testing.RedisNodes;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The heap that a held lock uses.
 */
class MemoryTests extends TwoRegistries {

	private static final Log logger = LogFactory.getLog(MemoryTests.class);

	/**
	 * The objects of the engine and the registry: the state of the key, the hold, its
	 * renewal, and its reference.
	 */
	private static final long OF_ENGINE = 216;

	private static final long OF_ALL = 380;

	private static final int MANY = 20_000;

	@Test
	void aHeldLockUsesLittleHeap() {
		assumeTrue(HeapHistogram.isAvailable(), "this JVM counts no objects");
		AtomicInteger renewed = new AtomicInteger();
		BackendLockRegistry node = redis.node(RedisNodes.settings(Duration.ofSeconds(9)), List.of(new LockListener() {

			@Override
			public void onRenewed(Renewed event) {
				renewed.addAndGet(event.renewed());
			}

		}));
		node.acquire(request("warm")).close();
		// The keys belong to the caller.
		List<String> keys = IntStream.range(0, MANY).mapToObj((number) -> "key-" + number).toList();
		HeldLock[] held = new HeldLock[MANY];
		// Twice, so that the histogram itself is part of the first one.
		HeapHistogram[] before = { HeapHistogram.take() };
		before[0] = HeapHistogram.take();
		for (int i = 0; i < MANY; i++) {
			held[i] = node.tryAcquire(LockRequest.of(keys.get(i)).name("memory")).orElseThrow();
		}
		// Until each has been renewed, also those that were acquired last.
		int acquired = renewed.get();
		await().atMost(Duration.ofSeconds(60)).until(() -> renewed.get() >= acquired + 2 * MANY);
		// A renewal that is being sent does not belong to a held lock.
		Map<String, Long> each = await().atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(500))
			.until(() -> HeapHistogram.take().since(before[0], MANY),
					(sizes) -> !sizes.containsKey(LockStore.Renewal.class.getName()));
		assertThat(held).allMatch(HeldLock::isHeld);
		Arrays.stream(held).forEach(HeldLock::close);
		long bytes = each.values().stream().mapToLong(Long::longValue).sum();
		logger.info("MEASURE a held lock takes " + bytes + " bytes: " + each);
		assertThat(bytes).isLessThanOrEqualTo(OF_ALL);
		assertThat(each.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().matches(".*distlock\\.(engine|registry)\\..*"))
			.mapToLong(Map.Entry::getValue)
			.sum()).isLessThanOrEqualTo(OF_ENGINE);
	}

}
