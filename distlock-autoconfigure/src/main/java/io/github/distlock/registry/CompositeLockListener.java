package io.github.distlock.registry;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.distlock.LockListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * All listeners as one. What one throws keeps neither the others nor the lock from going
 * on.
 */
final class CompositeLockListener implements LockListener {

	private static final Log logger = LogFactory.getLog(CompositeLockListener.class);

	private final Supplier<List<LockListener>> source;

	/**
	 * Known after the first event. Written without a lock: two threads that ask at the
	 * same time get the same beans, and one must never wait for a bean that the other one
	 * creates.
	 */
	private volatile LockListener @Nullable [] all;

	CompositeLockListener(Supplier<List<LockListener>> source) {
		this.source = source;
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

	private LockListener[] all() {
		LockListener[] known = this.all;
		if (known == null) {
			known = this.source.get().toArray(new LockListener[0]);
			this.all = known;
		}
		return known;
	}

	@Override
	public void onResubscribed(Resubscribed event) {
		tell((listener) -> listener.onResubscribed(event));
	}

	private void tell(Consumer<LockListener> event) {
		LockListener[] known;
		try {
			known = all();
		}
		catch (Throwable ex) {
			logger.warn("The lock listeners cannot be created yet, so none of them receives this event. This happens "
					+ "when a bean that a listener needs uses a lock while it is created", ex);
			return;
		}
		for (LockListener listener : known) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("Lock listener " + listener.getClass().getName() + " failed", ex);
			}
		}
	}

}
