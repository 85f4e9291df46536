package io.github.distlock.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;

/**
 * Records the result of each attempt, in the order in which they end.
 */
final class LockEventRecorder implements LockListener {

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Function<Attempted, LockMode> modes;

	private final List<LockAcquisition> acquired = new CopyOnWriteArrayList<>();

	private final List<LockRefusal> refused = new CopyOnWriteArrayList<>();

	private final List<Long> lostTokens = new CopyOnWriteArrayList<>();

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
		if (key != null && event.outcome() == LockOutcome.ACQUIRED) {
			this.acquired.add(new LockAcquisition(key, event.name(), this.modes.apply(event), event.backend(),
					event.fencingToken()));
		}
		else {
			this.refused.add(new LockRefusal(key, event.name(), event.outcome()));
		}
	}

	@Override
	public void onLost(Lost event) {
		this.lostTokens.add(event.fencingToken());
	}

	/**
	 * Wait until the application has noticed the loss of a lock.
	 * @param grant grant with the fencing tokens of that lock
	 * @return whether the application has noticed the loss in time
	 */
	boolean awaitLost(HeldGrant grant, long nanos) {
		long end = System.nanoTime() + nanos;
		while (this.lostTokens.stream().noneMatch(grant::covers)) {
			if (System.nanoTime() - end >= 0 || Thread.currentThread().isInterrupted()) {
				return false;
			}
			LockSupport.parkNanos(POLL_NANOS);
		}
		return true;
	}

	List<LockAcquisition> acquired() {
		return List.copyOf(this.acquired);
	}

	List<LockRefusal> refused() {
		return List.copyOf(this.refused);
	}

	void clear() {
		this.acquired.clear();
		this.refused.clear();
		this.lostTokens.clear();
	}

}
