package io.github.distlock.backend.redis;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;

import org.springframework.core.NestedExceptionUtils;

/**
 * Checks at the start of a store what its server permits.
 *
 * @param connections the connections to the server
 * @param keys the names of keys
 * @param instance the name of the instance, so that each checks keys of its own
 */
record RedisCheck(RedisConnections connections, RedisKeys keys, String instance) {

	private static final String TEST = "test of the lock store";

	/**
	 * Check that the server can be reached and that its user has all rights that locks
	 * need.
	 * @throws LockBackendException if not
	 */
	void verify() {
		RedisInbox inbox = this.connections.inbox().inbox();
		// The thread of the inbox connects first: a driver may wait without limit, for
		// example for credentials, and this thread must not. The first connection of a
		// JVM takes longer than a command.
		inbox.settled().handle((confirmed, failure) -> true).completeOnTimeout(true, 5, TimeUnit.SECONDS).join();
		this.connections.await(TEST, null, inbox.settled().handle((confirmed, failure) -> true));
		RedisServer server = this.connections.server();
		List<String> names = this.keys.lockQueueAndReaders("rights-" + this.instance);
		// By its text, even if the server knows it: the probe is sent by its digest.
		byte[][] script = RedisCommands.bytes(Scripts.RIGHTS.getScriptAsString(), "3", names.get(0), names.get(1),
				names.get(2), inbox.channel(), RedisInbox.PROBE);
		server.checkRights(this.connections.ask(TEST, "EVAL", script));
		server.checkRights(this.connections.await(TEST, null, this.connections.asking()));
		this.connections.inbox().probe(RedisInbox.PROBE);
		try {
			this.connections.await("subscription to the inbox " + inbox.channel(), null, inbox.settled());
		}
		catch (LockBackendException ex) {
			// A static master with replicas sends no messages: callers ask instead.
			boolean unsupported = NestedExceptionUtils
				.getMostSpecificCause(ex) instanceof UnsupportedOperationException;
			if (!unsupported && !inbox.isSubscribed()) {
				throw ex;
			}
		}
	}

}
