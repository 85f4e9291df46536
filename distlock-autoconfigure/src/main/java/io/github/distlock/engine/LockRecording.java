package io.github.distlock.engine;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.engine.LockEvent.HoldEvent;
import io.github.distlock.engine.LockEvent.LossEvent;
import io.github.distlock.engine.LockEvent.WaitEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Writes the events of the locks of a registry to the JDK Flight Recorder, see
 * {@link #ON}. Thread-safe.
 */
public final class LockRecording {

	/**
	 * Whether a recording has the events of this library: all of them, unless it leaves
	 * out losses. Otherwise callers neither create nor compute anything for it. A runtime
	 * image may lack the module jdk.jfr.
	 */
	public static final BooleanSupplier ON = ClassUtils.isPresent("jdk.jfr.Event", null) ? new LossEvent()::isEnabled
			: () -> false;

	/** More than one ticket has. */
	private static final long HOLDS_PER_TICKET = 1_000_000;

	final String registry;

	/** Whether events have the text of the key. */
	final boolean keys;

	/**
	 * Create the recording of a registry.
	 * @param registry the name of its store
	 * @param keys whether events have the text of the key
	 */
	public LockRecording(String registry, boolean keys) {
		this.registry = registry;
		this.keys = keys;
	}

	/**
	 * Record a wait that begins now.
	 * @param request what the caller has asked for
	 * @return to be called with the outcome and the token when the wait ends
	 */
	public ObjLongConsumer<LockOutcome> waiting(LockRequest request) {
		WaitEvent event = new WaitEvent();
		event.begin();
		return (outcome, token) -> {
			event.end();
			event.outcome = outcome.name();
			event.token = token;
			event.write(this, request.key(), request.label(), request.mode(),
					Objects.requireNonNullElse(request.permits(), 0));
		};
	}

	/**
	 * Record what happens to a hold now. Its grant is recorded before the caller takes it
	 * over, and its end before another caller can.
	 * @param type creates the event. Without the module jdk.jfr, a class that passed an
	 * event as one of its superclass could not be verified
	 */
	void write(Supplier<? extends HoldEvent> type, Hold hold, @Nullable String outcome) {
		HoldEvent event = type.get();
		long now = hold.context().clock().nanoTime();
		long left = hold.validity().remainingNanosAt(now);
		String instance = hold.ticket.instance();
		event.instance = instance.substring(instance.lastIndexOf(':') + 1);
		event.hold = hold.ticket.number() * HOLDS_PER_TICKET + hold.handOffs;
		event.grantToken = hold.grantToken();
		event.firstToken = hold.timed;
		event.askedNanos = hold.validity().baseNanos();
		event.answeredNanos = hold.startNanos();
		event.validUntilNanos = (left == Long.MAX_VALUE) ? left : now + left;
		event.atNanos = now;
		event.token = hold.fencingToken();
		event.outcome = outcome;
		event.cause = Objects.toString(hold.lossCause(), null);
		event.write(this, hold.key(), hold.label(), hold.mode(), hold.permits());
	}

}
