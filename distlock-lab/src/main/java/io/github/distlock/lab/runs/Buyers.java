package io.github.distlock.lab.runs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Buyers that place a number of orders together, each buyer one after the other.
 */
final class Buyers {

	private final int buyers;

	Buyers(int buyers) {
		this.buyers = buyers;
	}

	/**
	 * Place the orders, and return when all are answered. An order that fails is counted
	 * and not repeated.
	 * @param orders how many
	 * @param order places one
	 * @param progress gets the number of orders answered so far, from many threads
	 * @return what went wrong, one message for each failed order
	 * @throws InterruptedException if interrupted while waiting; the buyers then stop
	 */
	List<String> buy(int orders, Order order, IntConsumer progress) throws InterruptedException {
		AtomicInteger placed = new AtomicInteger();
		AtomicInteger answered = new AtomicInteger();
		Queue<String> failures = new ConcurrentLinkedQueue<>();
		ExecutorService crowd = Executors.newFixedThreadPool(this.buyers);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int buyer = 0; buyer < this.buyers; buyer++) {
				all.add(crowd.submit(() -> {
					while (placed.getAndIncrement() < orders) {
						try {
							order.place();
						}
						catch (IOException | RuntimeException ex) {
							failures.add(String.valueOf(ex));
						}
						progress.accept(answered.incrementAndGet());
					}
					return null;
				}));
			}
			for (Future<?> buyer : all) {
				buyer.get();
			}
			return List.copyOf(failures);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("A buyer gave up before all orders were placed", ex.getCause());
		}
		finally {
			crowd.shutdownNow();
		}
	}

	/**
	 * Places one order.
	 */
	interface Order {

		/**
		 * Place it and wait for the answer.
		 * @throws IOException if there is no good answer
		 * @throws InterruptedException if interrupted meanwhile
		 */
		void place() throws IOException, InterruptedException;

	}

}
