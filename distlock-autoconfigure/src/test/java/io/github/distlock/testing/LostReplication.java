package io.github.distlock.testing;

import java.io.UncheckedIOException;

/**
 * While it lasts, a master loses what is written to it if its replica takes over: the
 * replica is cut off and does not get in again. Open connections of others stay.
 */
public final class LostReplication implements AutoCloseable {

	private final RespConnection admin;

	/**
	 * Cut the replicas off.
	 * @param master whose
	 */
	public LostReplication(RedisProcess master) {
		this.admin = new RespConnection(master.port());
		this.admin.ask("CONFIG", "SET", "requirepass", "nobody knows it");
		this.admin.ask("CLIENT", "KILL", "TYPE", "replica");
	}

	/** Let the replicas in again, if the master still lives. */
	@Override
	public void close() {
		try {
			this.admin.ask("CONFIG", "SET", "requirepass", "");
		}
		catch (UncheckedIOException ex) {
			// Killed meanwhile.
		}
		this.admin.close();
	}

}
