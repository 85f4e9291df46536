package io.github.distlock.benchmarks.workers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.Locks;

/**
 * One client holds a key, threads of another wait for it until their time has passed.
 *
 * @param contender who locks
 * @param waiters how many wait
 * @param patience how long
 */
record ExpiringWaits(String contender, int waiters, Duration patience) {

	private static final Duration GATHERING = Duration.ofMillis(50);

	ExpiringWaits(String[] words) {
		this(words[0], Integer.parseInt(words[1]), Duration.parse(words[2]));
	}

	/**
	 * Let all wait once.
	 * @return how much later than asked each came back, in microseconds
	 */
	String run(Cast cast, ExecutorService threads) throws Exception {
		List<Locks> clients = cast.locks(this.contender, 2);
		String key = Contenders.number(Contenders.named(this.contender)) + "-kept";
		Held held = clients.get(0).lock(key);
		try {
			long start = System.nanoTime() + GATHERING.toNanos();
			List<Future<Long>> waiting = new ArrayList<>();
			for (int i = 0; i < this.waiters; i++) {
				waiting.add(threads.submit(() -> lateness(clients.get(1), key, start)));
			}
			List<Long> late = new ArrayList<>();
			for (Future<Long> waiter : waiting) {
				late.add(waiter.get(60, TimeUnit.SECONDS));
			}
			return late.stream().map(String::valueOf).collect(Collectors.joining(","));
		}
		finally {
			held.release();
		}
	}

	private long lateness(Locks locks, String key, long start) throws InterruptedException {
		Cycler.parkUntil(start);
		long asked = System.nanoTime();
		if (locks.tryLock(key, this.patience) != null) {
			throw new IllegalStateException(this.contender + " let two in");
		}
		return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - asked - this.patience.toNanos());
	}

}
