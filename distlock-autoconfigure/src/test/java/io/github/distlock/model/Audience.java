package io.github.distlock.model;

/** Whether a client listens for the reply to a command. */
enum Audience {

	/** The client waits for the reply. */
	AWAITED,

	/** The client has given up: the command may still be executed. */
	GIVEN_UP,

	/** A copy on another connection, which no client knows of. */
	COPY

}
