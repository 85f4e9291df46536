package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;

/**
 * Turns the messages of an inbox into signals to this JVM. Each client with the right to
 * publish can send them, so a message must not do more than what the scripts of this
 * library could have meant.
 */
final class InboxSignals {

	/** A grant has no prefix: no ticket begins with one, since a colon is in its name. */
	private static final String ENDED = "ended|";

	/** Maximum lease of a grant by message: until it is confirmed, as in the scripts. */
	private static final long MAX_TTL_MILLIS = 5000;

	/**
	 * How far tokens may be ahead of the server's clock. They are further ahead only
	 * after that clock was set back; then the ticket asks.
	 */
	private static final long MAX_AHEAD_MICROS = TimeUnit.SECONDS.toMicros(1);

	private final String instance;

	private final RedisKeys keys;

	private final LockSignals signals;

	private final TimeSource time;

	private final ServerClock clock;

	InboxSignals(String instance, RedisKeys keys, LockSignals signals, TimeSource time, ServerClock clock) {
		this.instance = instance;
		this.keys = keys;
		this.signals = signals;
		this.time = time;
		this.clock = clock;
	}

	/**
	 * Signal a message, unless it is about the ticket of another JVM: the scripts send it
	 * to the JVM of the ticket. A JVM gives back a grant that it does not know, so it
	 * could otherwise be made to release the locks of other JVMs.
	 * @param text the message: its kind, the name of the ticket, what is said of it, and
	 * the name of the lock in Redis, which may contain the separator
	 * @param sameClock whether it came from the one server whose clock is known
	 */
	void received(String text, boolean sameClock) {
		boolean ended = text.startsWith(ENDED);
		int length = ended ? 4 : 6;
		String[] parts = text.split("\\|", length);
		if (parts.length < length) {
			throw new IllegalArgumentException("Not a message of a script");
		}
		String key = this.keys.keyOf(parts[length - 1]);
		Ticket ticket = Ticket.of(key, parts[ended ? 1 : 0]);
		if (!ticket.instance().equals(this.instance)) {
			return;
		}
		if (ended) {
			this.signals.ended(ticket, Long.parseLong(parts[2]));
		}
		else {
			granted(ticket, sameClock, Long.parseLong(parts[1]), Long.parseLong(parts[2]), Long.parseLong(parts[3]),
					Long.parseLong(parts[4]));
		}
	}

	/**
	 * No caller may enter because of this message alone if it is not credible, or if its
	 * validity is not known: an expired grant makes the ticket ask the server. A token
	 * that is far ahead of the clock would make the protected resource refuse all later
	 * holders.
	 */
	private void granted(Ticket ticket, boolean sameClock, long first, long last, long ttlMillis, long grantedMicros) {
		TimeSource.Instant now = this.time.now();
		boolean credible = sameClock && ttlMillis <= MAX_TTL_MILLIS && first <= last
				&& last - grantedMicros <= MAX_AHEAD_MICROS;
		Validity validity = credible ? this.clock.judge(grantedMicros, Duration.ofMillis(ttlMillis), now) : null;
		this.signals.granted(ticket,
				new Grant(first, last, (validity != null) ? validity : Validity.until(now, Duration.ZERO)));
	}

}
