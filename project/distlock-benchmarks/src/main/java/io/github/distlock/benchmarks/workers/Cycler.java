package io.github.distlock.benchmarks.workers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.benchmarks.contenders.Locks;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a slice: acquires and releases until the end, once at least, and is the
 * section itself.
 */
class Cycler implements Callable<Cycler>, Runnable {

	private final SliceOrder order;

	private final Locks locks;

	private final String key;

	private final @Nullable SharedCounter counter;

	private final int room;

	final List<Passages.Passage> passages = new ArrayList<>();

	final Latencies latencies = new Latencies();

	long cycles;

	long counted;

	private long asked;

	Cycler(SliceOrder order, Locks locks, String key, @Nullable SharedCounter counter, int room) {
		this.order = order;
		this.locks = locks;
		this.key = key;
		this.counter = counter;
		this.room = room;
	}

	@Override
	public Cycler call() throws Exception {
		parkUntil(this.order.start());
		do {
			this.asked = System.nanoTime();
			cycle(this.locks);
		}
		while (System.nanoTime() - this.order.end() < 0);
		return this;
	}

	/** Lock once. */
	void cycle(Locks from) throws Exception {
		from.run((this.order.keys() == Keys.NEW) ? unused() : key(), this);
	}

	/** The key of this thread. */
	final String key() {
		return this.key;
	}

	@Override
	public void run() {
		long entered = System.nanoTime();
		this.latencies.record(entered - this.asked);
		this.cycles++;
		if (entered - this.order.end() < 0) {
			this.counted++;
		}
		if (this.counter == null) {
			pause(entered);
			return;
		}
		long value = this.counter.get();
		if (this.passages.size() < this.room) {
			this.passages.add(new Passages.Passage(micros(this.asked), micros(entered)));
		}
		pause(entered);
		this.counter.set(value + 1);
	}

	/** Slices of one thread begin at different times, and so do their keys. */
	private String unused() {
		return this.key + "-" + this.order.start() + "-" + this.cycles;
	}

	/** Up to which entry the passages are complete. */
	long completeUntil() {
		return (this.passages.size() < this.room) ? Long.MAX_VALUE
				: this.passages.get(this.passages.size() - 1).entered();
	}

	private void pause(long entered) {
		long nanos = this.order.section().toNanos();
		if (nanos > 0) {
			parkUntil(entered + nanos);
		}
	}

	private long micros(long nanoTime) {
		return TimeUnit.NANOSECONDS.toMicros(nanoTime - this.order.start());
	}

	static void parkUntil(long nanoTime) {
		for (long rest; (rest = nanoTime - System.nanoTime()) > 0;) {
			LockSupport.parkNanos(rest);
		}
	}

}
