package io.github.distlock.model;

/** The answer to a command, as far as the protocol distinguishes them. */
enum Answer {

	/** The server has not executed the command yet. */
	NONE,

	GRANTED, WAITING, RELEASED, GONE, DONE, RENEWED,

	/** The value is not what a native command expects. */
	MISMATCH

}
