package io.github.distlock.engine;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.distlock.LockListener;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Notifies all listeners. A listener that fails affects neither the others nor the lock.
 */
public final class LockListeners {

	private static final Log logger = LockLog.of(LockListeners.class);

	private final Supplier<List<LockListener>> source;

	private final LockRecording recording;

	/**
	 * Cached by {@link #find()} or at the first event. Written without a lock: concurrent
	 * threads get the same beans, and a thread must never wait for a bean that another
	 * thread creates.
	 */
	private volatile LockListener @Nullable [] listeners;

	public LockListeners(Supplier<List<LockListener>> source, LockRecording recording) {
		this.source = source;
		this.recording = recording;
	}

	/**
	 * {@return what writes the events of the flight recorder}
	 */
	public LockRecording recording() {
		return this.recording;
	}

	/**
	 * Find the listeners before the first event needs them. If that fails, the first
	 * event finds them, or reports the failure.
	 */
	public void find() {
		try {
			listeners();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("The lock listeners cannot be created yet: the first event looks for them again", ex);
		}
	}

	/**
	 * Return whether there are no listeners. Then the frequent events need not be
	 * created.
	 */
	public boolean isEmpty() {
		LockListener[] cached = this.listeners;
		return cached != null && cached.length == 0;
	}

	private LockListener[] listeners() {
		LockListener[] cached = this.listeners;
		if (cached == null) {
			cached = this.source.get().toArray(new LockListener[0]);
			this.listeners = cached;
		}
		return cached;
	}

	/**
	 * Notify each listener.
	 * @param event calls the method of the event
	 */
	public void notifyEach(Consumer<LockListener> event) {
		LockListener[] cached;
		try {
			cached = listeners();
		}
		catch (Throwable ex) {
			logger.warn("The lock listeners cannot be created yet, so none of them receives this event. This happens "
					+ "when a bean that a listener needs uses a lock while it is created", ex);
			return;
		}
		for (LockListener listener : cached) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("Lock listener " + listener.getClass().getName() + " failed", ex);
			}
		}
	}

}
