package io.github.distlock.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.renewal.Lease;
import io.github.distlock.waiting.Admission;
import org.jspecify.annotations.Nullable;

/**
 * One stay inside a lock: from the outermost acquisition to the last release, or to the
 * loss. All re-entries share it.
 */
final class Hold {

	private final String key;

	private final String name;

	private final Admission admission;

	private final Lease lease;

	/** Who may re-enter; {@code null} for an asynchronous holder. */
	private final @Nullable Thread thread;

	private final long startNanos;

	/** How many acquisitions are open; at zero it never rises again. */
	private final AtomicInteger levels = new AtomicInteger(1);

	/** How many of them came through a Lock view. Only the owning thread touches it. */
	private int viewLevels;

	private final ReentrantLock callbackLock = new ReentrantLock();

	/** Guarded by {@link #callbackLock}; {@code null} when the loss has been told. */
	private @Nullable List<Runnable> callbacks = new ArrayList<>(0);

	Hold(String key, String name, Admission admission, Lease lease, @Nullable Thread thread, long startNanos) {
		this.key = key;
		this.name = name;
		this.admission = admission;
		this.lease = lease;
		this.thread = thread;
		this.startNanos = startNanos;
	}

	String key() {
		return this.key;
	}

	String name() {
		return this.name;
	}

	Admission admission() {
		return this.admission;
	}

	Lease lease() {
		return this.lease;
	}

	@Nullable Thread thread() {
		return this.thread;
	}

	long startNanos() {
		return this.startNanos;
	}

	/**
	 * Enter once more.
	 * @return whether the hold was still open
	 */
	boolean reenter() {
		return this.levels.getAndUpdate((open) -> (open > 0) ? open + 1 : 0) > 0;
	}

	/**
	 * Leave one level.
	 * @return whether it was the last
	 */
	boolean leave() {
		return this.levels.decrementAndGet() == 0;
	}

	/** Whether all levels have been left. */
	boolean isOver() {
		return this.levels.get() == 0;
	}

	void enterView() {
		this.viewLevels++;
	}

	/**
	 * Leave one level that came through a Lock view.
	 * @return whether there was one
	 */
	boolean leaveView() {
		if (this.viewLevels == 0) {
			return false;
		}
		this.viewLevels--;
		return true;
	}

	/**
	 * Keep a callback for the loss.
	 * @return whether it was kept; otherwise the loss has been told before
	 */
	boolean keep(Runnable callback) {
		this.callbackLock.lock();
		try {
			if (this.callbacks == null) {
				return false;
			}
			this.callbacks.add(callback);
			return true;
		}
		finally {
			this.callbackLock.unlock();
		}
	}

	List<Runnable> takeCallbacks() {
		this.callbackLock.lock();
		try {
			List<Runnable> taken = this.callbacks;
			this.callbacks = null;
			return (taken != null) ? taken : List.of();
		}
		finally {
			this.callbackLock.unlock();
		}
	}

}
