package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.NoSignals;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests for kept locks, as they arrive in an inbox.
 */
class InboxSignalsTests extends NoSignals {

	private final List<String> requesters = new ArrayList<>();

	private final InboxSignals inbox = new InboxSignals("me", new RedisKeys("distlock:"), this, TimeSource.SYSTEM,
			new ServerClock());

	private void receive(String requester) {
		this.inbox.received("asked|me:1|1790000000000000|" + requester + "|distlock:lock:{key}", true);
	}

	@Test
	void theTicketThatWantsAnAnswerIsKnown() {
		receive("2f-B_9:FR1k");
		receive("order.service@host-7:4711:3w5e11264sgsf:F1");
		receive("");
		assertThat(this.requesters).containsExactly("2f-B_9:FR1k", "order.service@host-7:4711:3w5e11264sgsf:F1",
				"none");
	}

	@ParameterizedTest
	@ValueSource(strings = { "other", "other:", "other:FX1", "other:1:", ":1", "a{b}:1", "a b:1", "a:b:1", "a@b:c:d:1",
			"a@b@c:1:d:1", "__key*:1" })
	void aRequestIsHandledWithoutATicketThatNoJvmOfThisVersionHas(String requester) {
		receive(requester);
		assertThat(this.requesters).containsExactly("none");
	}

	@Override
	public void asked(Ticket ticket, long grantToken, @Nullable Ticket requester) {
		this.requesters.add((requester != null) ? requester.token() : "none");
	}

}
