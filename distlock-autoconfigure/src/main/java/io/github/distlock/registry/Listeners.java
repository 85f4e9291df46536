package io.github.distlock.registry;

import java.util.List;
import java.util.function.Consumer;

import io.github.distlock.LockListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * All listeners as one. What one throws keeps neither the others nor the lock from going
 * on.
 */
final class Listeners implements LockListener {

	private static final Log logger = LogFactory.getLog(Listeners.class);

	private final LockListener[] all;

	Listeners(List<LockListener> all) {
		this.all = all.toArray(new LockListener[0]);
	}

	@Override
	public void onWaiting(Waiting event) {
		tell((listener) -> listener.onWaiting(event));
	}

	@Override
	public void onWaitingEnded(Waiting event) {
		tell((listener) -> listener.onWaitingEnded(event));
	}

	@Override
	public void onAttempted(Attempted event) {
		tell((listener) -> listener.onAttempted(event));
	}

	@Override
	public void onReleased(Released event) {
		tell((listener) -> listener.onReleased(event));
	}

	@Override
	public void onLost(Lost event) {
		tell((listener) -> listener.onLost(event));
	}

	@Override
	public void onRenewed(Renewed event) {
		tell((listener) -> listener.onRenewed(event));
	}

	private void tell(Consumer<LockListener> event) {
		for (LockListener listener : this.all) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("Lock listener " + listener.getClass().getName() + " failed", ex);
			}
		}
	}

}
