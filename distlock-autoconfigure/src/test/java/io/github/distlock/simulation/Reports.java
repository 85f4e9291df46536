package io.github.distlock.simulation;

import io.github.distlock.LockLostException;
import io.github.distlock.LockOutcome;
import io.github.distlock.simulation.Call.End;

/** Compares what a listener was told of a call with what its caller saw. */
record Reports(World world) {

	/** Each call is reported once, with its outcome. */
	void checkReport(Call call) {
		End end = call.end;
		if (end == null) {
			this.world.violation("answer", call + " was never answered");
			return;
		}
		LockOutcome reported = call.reported;
		boolean right = switch (end) {
			case ENTERED -> reported == LockOutcome.ACQUIRED;
			case TIMED_OUT -> reported == ((call.how == Call.How.TRY || call.how == Call.How.TRY_ASYNC)
					? LockOutcome.SKIPPED : LockOutcome.TIMEOUT);
			case REFUSED -> reported == LockOutcome.TOO_MANY_WAITING;
			case INTERRUPTED -> reported == LockOutcome.INTERRUPTED;
			// A registry that is closed reports nothing.
			case STORE_FAILED -> reported == null || reported == LockOutcome.BACKEND_ERROR;
			case CANCELLED -> reported != null && reported != LockOutcome.INVALID;
			case ERROR -> reported == LockOutcome.BACKEND_ERROR;
		};
		if (!right || call.reports > 1) {
			this.world.violation("listener",
					call + " ended as " + end + ", and was reported " + call.reports + " times, as " + reported);
		}
		if ((call.waiting == Call.NEVER) != (call.waitingEnded == Call.NEVER)) {
			this.world.violation("listener", call + " waits in the eyes of the listener");
		}
	}

	/** Each grant has one end, each loss one report. */
	void checkEnd(Call call) {
		boolean late = call.lost != null && call.lost.released();
		int open = (call.losses > 0 && !late) ? 1 : 0;
		if (call.losses > 1 || call.releases != 1 - open) {
			this.world.violation("listener", call + " of " + call.key() + " was reported as released " + call.releases
					+ " times and as lost " + call.losses + " times");
		}
		if (call.risks != call.risksEnded) {
			this.world.violation("listener", call + " of " + call.key() + " was reported " + call.risks
					+ " times as at risk, and " + call.risksEnded + " times as no longer so");
		}
		Throwable failure = call.closeFailure;
		if (call.end == End.ENTERED && !(failure instanceof SimulatedError)
				&& (failure instanceof LockLostException) != (open == 1)) {
			this.world.violation("listener", call + " of " + call.key() + " was closed with " + failure
					+ ", and was reported as lost " + call.losses + " times");
		}
		if (call.callbacks >= 0 && call.callbacks != open) {
			this.world.violation("listener", call + " of " + call.key() + " ran its callback for the loss "
					+ call.callbacks + " times instead of " + open);
		}
	}

}
