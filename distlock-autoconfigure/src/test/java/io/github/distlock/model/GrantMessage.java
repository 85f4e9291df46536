package io.github.distlock.model;

import java.util.function.IntUnaryOperator;

/** A grant on its way to the inbox of a JVM. */
final class GrantMessage {

	int ticket;

	int firstToken;

	int lastToken;

	/** Ticks until the grant ends. */
	int ttl;

	GrantMessage(int ticket, int firstToken, int lastToken, int ttl) {
		this.ticket = ticket;
		this.firstToken = firstToken;
		this.lastToken = lastToken;
		this.ttl = ttl;
	}

	GrantMessage copy() {
		return new GrantMessage(this.ticket, this.firstToken, this.lastToken, this.ttl);
	}

	void mapTokens(IntUnaryOperator map) {
		this.firstToken = map.applyAsInt(this.firstToken);
		this.lastToken = map.applyAsInt(this.lastToken);
	}

	void write(StateWriter out) {
		out.ticket(this.ticket).number(this.firstToken).number(this.lastToken).number(this.ttl);
	}

	static GrantMessage read(StateReader in) {
		return new GrantMessage(in.number(), in.number(), in.number(), in.number());
	}

}
