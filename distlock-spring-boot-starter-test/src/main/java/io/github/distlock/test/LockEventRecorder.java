package io.github.distlock.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;

/**
 * Records the result of each attempt, in the order in which they end.
 */
final class LockEventRecorder implements LockListener {

	private final Function<Attempted, LockMode> modes;

	private final List<LockAcquisition> acquired = new CopyOnWriteArrayList<>();

	private final List<LockRefusal> refused = new CopyOnWriteArrayList<>();

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

	List<LockAcquisition> acquired() {
		return List.copyOf(this.acquired);
	}

	List<LockRefusal> refused() {
		return List.copyOf(this.refused);
	}

	void clear() {
		this.acquired.clear();
		this.refused.clear();
	}

}
