package io.github.distlock.model;

import java.util.function.IntUnaryOperator;

/** A grant on its way to the inbox of a JVM. */
final class GrantMessage extends StatePart<GrantMessage> {

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

	void mapTokens(IntUnaryOperator map) {
		this.firstToken = map.applyAsInt(this.firstToken);
		this.lastToken = map.applyAsInt(this.lastToken);
	}

	GrantMessage pass(StateForm form) {
		this.ticket = form.ticket(this.ticket);
		this.firstToken = form.number(this.firstToken);
		this.lastToken = form.number(this.lastToken);
		this.ttl = form.number(this.ttl);
		return this;
	}

}
