package io.github.distlock.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;

/**
 * Records the result of each attempt, in the order in which they end.
 */
final class LockEventRecorder implements LockListener {

	private final Function<Attempted, LockMode> modes;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/** Guarded by {@link #lock}, like all fields that follow. */
	private final List<LockAcquisition> acquired = new ArrayList<>();

	private final List<LockRefusal> refused = new ArrayList<>();

	private final List<Long> lostTokens = new ArrayList<>();

	/**
	 * Create an empty recorder.
	 * @param modes returns the mode of an acquisition, which the event does not contain
	 */
	LockEventRecorder(Function<Attempted, LockMode> modes) {
		this.modes = modes;
	}

	@Override
	public void onAttempted(Attempted event) {
		String key = event.key();
		this.lock.lock();
		try {
			if (key != null && event.outcome() == LockOutcome.ACQUIRED) {
				this.acquired.add(new LockAcquisition(key, event.name(), this.modes.apply(event), event.backend(),
						event.fencingToken()));
			}
			else {
				this.refused.add(new LockRefusal(key, event.name(), event.outcome()));
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void onLost(Lost event) {
		this.lock.lock();
		try {
			this.lostTokens.add(event.fencingToken());
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wait until the application has noticed the loss of a lock.
	 * @param grant grant with the fencing tokens of that lock
	 * @return whether the application has noticed the loss in time
	 */
	boolean awaitLost(HeldGrant grant, long nanos) {
		long remaining = nanos;
		this.lock.lock();
		try {
			while (this.lostTokens.stream().noneMatch(grant::covers)) {
				if (remaining <= 0) {
					return false;
				}
				remaining = this.changed.awaitNanos(remaining);
			}
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	List<LockAcquisition> acquired() {
		this.lock.lock();
		try {
			return List.copyOf(this.acquired);
		}
		finally {
			this.lock.unlock();
		}
	}

	List<LockRefusal> refused() {
		this.lock.lock();
		try {
			return List.copyOf(this.refused);
		}
		finally {
			this.lock.unlock();
		}
	}

	void clear() {
		this.lock.lock();
		try {
			this.acquired.clear();
			this.refused.clear();
			this.lostTokens.clear();
		}
		finally {
			this.lock.unlock();
		}
	}

}
