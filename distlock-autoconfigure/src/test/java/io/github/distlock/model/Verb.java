package io.github.distlock.model;

/** The commands of the protocol. */
enum Verb {

	ATTEMPT, RELEASE, CANCEL, RENEW,

	/** A grant on its way to the inbox of a JVM: no command. */
	MESSAGE,

	/** The second half of a grant that is not atomic: only a flawed script has it. */
	LATE_WRITE

}
