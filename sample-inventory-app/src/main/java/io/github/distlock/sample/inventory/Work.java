package io.github.distlock.sample.inventory;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.springframework.stereotype.Component;

/**
 * The declared work between reading the stock and writing it back, the same in every
 * strategy. Its caller holds the lock, if there is one, so faults strike here.
 */
@Component
public class Work {

	private final Duration pause;

	private final Faults faults;

	Work(InventoryProperties properties, Faults faults) {
		this.pause = properties.pause();
		this.faults = faults;
	}

	/**
	 * Do the work. Blocks for the declared time. Under a fault it blocks for longer, or
	 * ends the process.
	 */
	public void perform() {
		this.faults.crashIfAsked();
		this.faults.pauseIfAsked();
		long nanos = this.pause.plus(this.faults.slowness()).toNanos();
		long end = System.nanoTime() + nanos;
		long left = nanos;
		while (left > 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, left);
			left = end - System.nanoTime();
		}
	}

}
