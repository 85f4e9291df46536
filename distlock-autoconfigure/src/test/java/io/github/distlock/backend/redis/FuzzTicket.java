package io.github.distlock.backend.redis;

import java.util.Random;

import io.github.distlock.backend.Ticket;

/**
 * A ticket as its JVM knows it.
 */
final class FuzzTicket {

	/**
	 * Where it is in its life. A ticket is leaving or cancelling until the server has
	 * answered.
	 */
	enum State {

		WAITING, HOLDING, LEAVING, CANCELLING, DONE

	}

	final FuzzInstance instance;

	final String token;

	final int lease;

	State state = State.WAITING;

	/** When it asks again, in microseconds. */
	long askMicros;

	/** The first and the last fencing token of its grant, and until when that counts. */
	long first;

	long last;

	long endMicros;

	/** The highest fencing token that was used. */
	long used;

	FuzzTicket(FuzzInstance instance, String token, int lease) {
		this.instance = instance;
		this.token = token;
		this.lease = lease;
	}

	/** The script has answered that it waits. */
	void waits(long[] numbers, Random random) {
		long look = (long) (Math.min(5000, this.lease) * (0.4 + random.nextDouble() / 10));
		if (numbers[0] == 0 && numbers[1] >= 0) {
			look = Math.min(look, Math.max(5, numbers[1] + 1));
		}
		this.askMicros = UnreliableScripts.nowMicros() + 1000 * look;
	}

	boolean isReader() {
		return this.token.contains(":FR") || isLimited();
	}

	private boolean isLimited() {
		return this.token.contains(":F0");
	}

	/** How many may hold the lock at once when it enters. */
	int permits() {
		return isLimited() ? Ticket.of("", this.token).permits() : Integer.MAX_VALUE;
	}

	/** An instance has one other ticket at most. */
	boolean isFair() {
		return this.token.contains(":F");
	}

	/** What the word says of its grant. */
	String grant() {
		return grant(this.first);
	}

	String grant(long firstToken) {
		return this.token + "|" + tokens() + "|" + firstToken;
	}

	/** How many tokens its grant has. */
	int tokens() {
		return isReader() ? 1 : ScriptFuzz.TOKENS;
	}

	boolean isValid(long nowMicros) {
		return this.state == State.HOLDING && nowMicros < this.endMicros;
	}

	/**
	 * An operator ends its grant. Until then it may use all tokens of the grant: the next
	 * holder has a higher one. Returns the first token, which names the grant.
	 */
	String ended(ScriptFuzz.HoldOracle oracle) {
		if (isValid(UnreliableScripts.nowMicros())) {
			oracle.used(this, this.last);
		}
		this.state = State.LEAVING;
		return Long.toString(this.first);
	}

	@Override
	public String toString() {
		return this.token + " (" + this.state + ", lease " + this.lease + " ms)";
	}

}
