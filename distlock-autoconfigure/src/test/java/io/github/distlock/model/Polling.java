package io.github.distlock.model;

/** How a JVM that gets no messages attempts. */
enum Polling {

	/** It gets messages. */
	NONE,

	/** The ticket is not queued. */
	REFUSED,

	/** The ticket was refused for long enough: it gets a place, and asks for its turn. */
	PLACE

}
