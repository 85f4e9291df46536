package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redis.InboxMessage.GrantMessage;
import org.jspecify.annotations.Nullable;

/**
 * Checks the messages of an inbox. Each client with the right to publish can send them,
 * so a message must not do more than what the scripts of this library could have meant.
 */
final class MessageCheck {

	/** Maximum lease of a grant by message: until it is confirmed, as in the scripts. */
	private static final long MAX_TTL_MILLIS = 5000;

	/**
	 * How far tokens may be ahead of the server's clock. They are further ahead only
	 * after that clock was set back; then the ticket asks.
	 */
	private static final long MAX_AHEAD_MICROS = TimeUnit.SECONDS.toMicros(1);

	private static final int QUOTED = 100;

	private static final Pattern INSTANCE = Pattern.compile("([A-Za-z0-9._-]+@[A-Za-z0-9._-]+:[0-9]+:)?[A-Za-z0-9_-]+");

	private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

	private MessageCheck() {
	}

	/**
	 * Compute the validity of a grant.
	 * @param message its message
	 * @param clock the clock of the server
	 * @param now the present
	 * @return the validity, or {@code null} if no caller may enter because of this
	 * message alone: then its ticket asks the server. A token that is far ahead of the
	 * clock would make the protected resource refuse all later holders.
	 */
	static @Nullable Validity validity(GrantMessage message, ServerClock clock, TimeSource.Instant now) {
		boolean credible = message.ttlMillis() <= MAX_TTL_MILLIS && message.first() <= message.last()
				&& message.last() - message.grantedMicros() <= MAX_AHEAD_MICROS;
		return credible ? clock.judge(message.grantedMicros(), Duration.ofMillis(message.ttlMillis()), now) : null;
	}

	/**
	 * Return whether a message may be about a ticket: the scripts send it to the JVM of
	 * the ticket. A JVM gives back a grant that it does not know, so it could otherwise
	 * be made to release the locks of other JVMs.
	 */
	static boolean isAddressed(Ticket ticket, String instance) {
		return ticket.instance().equals(instance);
	}

	/**
	 * Return whether a text may be the instance of a JVM: its answer is published to a
	 * channel of this name.
	 */
	static boolean isInstance(String text) {
		return INSTANCE.matcher(text).matches();
	}

	/** Return a text so that it can be logged: in one line, and not too long. */
	static String quote(String text) {
		String line = CONTROL.matcher(text).replaceAll("?");
		return (line.length() <= QUOTED) ? line : line.substring(0, QUOTED) + "...";
	}

}
