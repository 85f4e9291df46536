package io.github.distlock.simulation;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * What one open store knows of its inbox and of the server's clock, as
 * {@code InboxMonitor} and {@code ServerClock} of the Redis store.
 */
final class SimulatedInbox {

	private static final long CHECK_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long MAX_BASELINE_NANOS = Duration.ofSeconds(30).toNanos();

	private static final long MAX_TTL_MILLIS = 5000;

	private static final long MAX_AHEAD_MICROS = 1_000_000;

	private final World world;

	private final SimulatedJvm jvm;

	private final LockSignals signals;

	final SimulatedLink link;

	/** Until the first subscription is confirmed or has failed. */
	private boolean starting = true;

	private boolean confirmed;

	/** Whether a publish to this inbox was counted since it was subscribed. */
	private boolean counted;

	/** Counts subscriptions. */
	private int subscription;

	private long checkedNanos;

	/** A moment before a command was sent, and the server's time in its reply. */
	private TimeSource.@Nullable Instant baseline;

	private long baselineMicros;

	SimulatedInbox(World world, SimulatedJvm jvm, String instance, LockSignals signals) {
		this.world = world;
		this.jvm = jvm;
		this.signals = signals;
		this.link = world.network.open(jvm, instance, this);
	}

	boolean isConfirmed() {
		return !this.link.closed && this.confirmed;
	}

	/**
	 * What a ticket that is queued now can rely on: T, its receivers can be counted; S,
	 * they cannot; N, no message reaches it.
	 */
	char state() {
		if (this.link.closed || !this.confirmed) {
			return (this.starting && !this.link.closed) ? 'S' : 'N';
		}
		if (this.jvm.nanoTime() - this.checkedNanos > CHECK_NANOS) {
			check(false);
		}
		return this.counted ? 'T' : 'S';
	}

	public void subscribed() {
		if (this.link.closed) {
			return;
		}
		this.baseline = null;
		this.confirmed = true;
		this.starting = false;
		this.subscription++;
		this.counted = false;
		check(true);
	}

	public void interrupted() {
		if (this.link.closed) {
			return;
		}
		this.baseline = null;
		this.confirmed = false;
		this.counted = false;
		if (this.starting) {
			this.starting = false;
			this.signals.retryAll();
		}
	}

	/** Count the receivers of a message to this inbox. */
	private void check(boolean fresh) {
		TimeSource.Instant sent = this.jvm.now();
		int number = this.subscription;
		this.checkedNanos = sent.nanos();
		this.world.network
			.sendNow(this.link, "probe",
					(server) -> List.of((long) this.world.network.receivers(this.link.instance), server.micros()))
			.whenComplete((answer, failure) -> {
				if (this.link.closed) {
					return;
				}
				if (failure != null) {
					this.checkedNanos = this.jvm.nanoTime() - CHECK_NANOS + RETRY_NANOS;
				}
				else {
					checked(number, sent, answer.get(0), answer.get(1));
				}
				if (fresh) {
					this.signals.retryAll();
				}
			});
	}

	private void checked(int number, TimeSource.Instant sent, long receivers, long serverMicros) {
		observe(sent, serverMicros);
		if (number == this.subscription && this.confirmed) {
			this.counted = receivers == 1 && this.world.plan.counting();
		}
	}

	/** Use a reply as baseline if it is better than the current one. */
	void observe(TimeSource.Instant sent, long serverMicros) {
		TimeSource.Instant current = this.baseline;
		if (current != null) {
			long here = sent.nanos() - current.nanos();
			if (here < (serverMicros - this.baselineMicros) * 1000 && here <= MAX_BASELINE_NANOS) {
				return;
			}
		}
		this.baseline = sent;
		this.baselineMicros = serverMicros;
	}

	/** A command failed: another server may answer the next one. */
	void failed() {
		this.baseline = null;
	}

	/** How long a grant by message is valid; {@code null} without a baseline for it. */
	private @Nullable Validity judge(ServerMessage message, TimeSource.Instant now) {
		TimeSource.Instant current = this.baseline;
		if (current == null || message.ttlMillis() > MAX_TTL_MILLIS || message.first() > message.last()
				|| message.last() - message.serverMicros() > MAX_AHEAD_MICROS) {
			return null;
		}
		long since = (message.serverMicros() - this.baselineMicros) * 1000;
		long base = current.nanos() + since;
		if (base - now.nanos() > 0) {
			return null;
		}
		return Validity.until(new TimeSource.Instant(base, current.millis() + since / 1_000_000),
				Duration.ofMillis(message.ttlMillis()));
	}

	public void received(ServerMessage message) {
		if (this.link.closed) {
			return;
		}
		this.world.trace(this.link.instance, "hears: " + message);
		Ticket ticket = message.ticket();
		switch (message.kind()) {
			case GRANTED -> {
				TimeSource.Instant now = this.jvm.now();
				Validity validity = judge(message, now);
				this.world.granting(this.jvm);
				this.signals.granted(ticket, new Grant(message.first(), message.last(),
						(validity != null) ? validity : Validity.until(now, Duration.ZERO)));
			}
			case ENDED -> this.signals.ended(ticket, message.first());
		}
	}

}
