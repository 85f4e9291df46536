package io.github.distlock.lab.runs;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The crowd.
 */
@Timeout(120)
class BuyersTests {

	@Test
	void everyOrderIsPlacedOnceAndItsAnswerTold() throws InterruptedException {
		AtomicInteger placed = new AtomicInteger();
		Queue<Integer> progress = new ConcurrentLinkedQueue<>();
		List<String> failures = new Buyers(8).buy(100, placed::incrementAndGet, progress::add);
		assertThat(failures).isEmpty();
		assertThat(placed).hasValue(100);
		assertThat(progress).containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 100).boxed().toList());
	}

	@Test
	void buyersOrderAtTheSameTime() throws InterruptedException {
		CyclicBarrier meeting = new CyclicBarrier(4);
		List<String> failures = new Buyers(4).buy(4, () -> meet(meeting), (answered) -> {
		});
		assertThat(failures).isEmpty();
	}

	@Test
	void aFailedOrderIsCountedAndNotRepeated() throws InterruptedException {
		AtomicInteger placed = new AtomicInteger();
		List<String> failures = new Buyers(3).buy(10, () -> {
			if (placed.incrementAndGet() % 2 == 0) {
				throw new IOException("no answer");
			}
		}, (answered) -> {
		});
		assertThat(placed).hasValue(10);
		assertThat(failures).hasSize(5).allMatch((failure) -> failure.contains("no answer"));
	}

	private static void meet(CyclicBarrier meeting) throws InterruptedException {
		try {
			meeting.await();
		}
		catch (BrokenBarrierException ex) {
			throw new IllegalStateException("The buyers did not meet", ex);
		}
	}

}
