package io.github.distlock.model;

/** A fault that the model may inject. Each costs one unit of the fault budget. */
enum NetworkFault {

	/** A command never reaches the server. */
	COMMAND_LOST,

	/** A command is executed and its reply is lost. */
	REPLY_LOST,

	/**
	 * A command is executed, its reply is lost, and a copy of it is executed at any later
	 * time: the bytes of a broken connection.
	 */
	COPY,

	/**
	 * A command is executed and answered, and a copy of it is executed at any later time:
	 * a proxy or a driver repeated it. No client knows, so S5 is not checked.
	 */
	DUPLICATE,

	/** A connection breaks, and its commands are executed late, in any order. */
	BROKEN_CONNECTION,

	/** A grant message is lost. */
	MESSAGE_LOST,

	/** A JVM dies, and the server knows. */
	CRASH,

	/** A JVM dies, and its inbox still counts as a receiver. */
	HALF_OPEN_CRASH,

	/** The inbox of a JVM loses its connection. */
	INBOX_LOST,

	/** The server loses all data. */
	FLUSH

}
