package io.github.distlock.backend.redis;

import java.time.Duration;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redis.InboxMessage.AskedMessage;
import io.github.distlock.backend.redis.InboxMessage.EndedMessage;
import io.github.distlock.backend.redis.InboxMessage.GrantMessage;
import io.github.distlock.backend.redis.InboxMessage.RefusedMessage;
import org.jspecify.annotations.Nullable;

/**
 * Turns the messages of an inbox into signals to this JVM.
 */
final class InboxSignals {

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
	 * Signal a message, unless it is about the ticket of another JVM.
	 * @param sameClock whether it came from the one server whose clock is known
	 */
	void signal(InboxMessage message, boolean sameClock) {
		Ticket ticket = ticket(message.token(), message);
		if (!MessageCheck.isAddressed(ticket, this.instance)) {
			return;
		}
		if (message instanceof GrantMessage grant) {
			granted(ticket, grant, sameClock);
		}
		else if (message instanceof EndedMessage ended) {
			this.signals.endReported(ticket, ended.grantToken());
		}
		else if (message instanceof AskedMessage asked) {
			this.signals.asked(ticket, asked.grantToken(), requester(asked));
		}
		else if (message instanceof RefusedMessage) {
			this.signals.refused(ticket);
		}
	}

	private void granted(Ticket ticket, GrantMessage message, boolean sameClock) {
		TimeSource.Instant now = this.time.now();
		Validity validity = sameClock ? MessageCheck.validity(message, this.clock, now) : null;
		// An unknown validity counts as passed: then the ticket asks.
		this.signals.granted(ticket, new Grant(message.first(), message.last(),
				(validity != null) ? validity : Validity.until(now, Duration.ZERO)));
	}

	/**
	 * The ticket that wants an answer. If this version cannot read its name, or no JVM
	 * has such an instance, the request is valid without it.
	 */
	private @Nullable Ticket requester(AskedMessage message) {
		String requester = message.requester();
		if (requester == null) {
			return null;
		}
		try {
			Ticket ticket = ticket(requester, message);
			return MessageCheck.isInstance(ticket.instance()) ? ticket : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private Ticket ticket(String token, InboxMessage message) {
		return Ticket.of(this.keys.keyOf(message.lock()), token);
	}

}
