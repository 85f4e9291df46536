package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.distlock.testing.RespConnection;
import org.jspecify.annotations.Nullable;

/**
 * A JVM as the server sees it: a name, an inbox, and numbers for its tickets.
 */
final class FuzzInstance implements AutoCloseable {

	private final int port;

	private final String name;

	/** How its tickets are queued while its inbox is open: T or S. */
	private final String mark;

	private @Nullable RespConnection inbox;

	private boolean alive = true;

	private int numbers;

	FuzzInstance(int port, String name, boolean counted) {
		this.port = port;
		this.name = name;
		this.mark = counted ? "T" : "S";
		openInbox();
	}

	boolean isAlive() {
		return this.alive;
	}

	/** How a ticket is queued now; sometimes not at all, though it could be. */
	String mark(Random random) {
		return (this.inbox == null || random.nextInt(20) == 0) ? "N" : this.mark;
	}

	/** How an attempt queues a ticket now: without an inbox it may poll. */
	String attemptMark(Random random) {
		return (this.inbox == null) ? List.of("N", "P", "Q", "Q").get(random.nextInt(4)) : mark(random);
	}

	boolean isCounted() {
		return this.mark.equals("T");
	}

	String newToken(String letters) {
		return this.name + ":" + letters + ++this.numbers;
	}

	private void openInbox() {
		RespConnection opened = new RespConnection(this.port);
		opened.ask("SUBSCRIBE", "distlock:inbox:" + this.name);
		this.inbox = opened;
	}

	/** Close the inbox, or open it again. */
	void toggleInbox() {
		if (this.inbox == null) {
			openInbox();
		}
		else {
			close();
		}
	}

	/** Return the messages that have arrived since the last call. */
	List<String> messages() {
		List<String> messages = new ArrayList<>();
		if (this.alive && this.inbox != null) {
			for (Object next = this.inbox.received(); next != null; next = this.inbox.received()) {
				messages.add((String) ((List<?>) next).get(2));
			}
		}
		return messages;
	}

	/** End without a command; the server still counts a half-open connection. */
	void die(boolean halfOpen) {
		this.alive = false;
		if (!halfOpen) {
			close();
		}
	}

	@Override
	public void close() {
		if (this.inbox != null) {
			this.inbox.close();
			this.inbox = null;
		}
	}

}
