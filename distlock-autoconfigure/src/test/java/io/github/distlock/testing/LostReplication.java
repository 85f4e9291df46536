package io.github.distlock.testing;

import java.io.UncheckedIOException;

/**
 * While open, a master loses all writes if its replica takes over: the replica is
 * disconnected and cannot connect again. Open connections of other clients remain.
 */
public final class LostReplication implements AutoCloseable {

	private final RespConnection admin;

	/** Disconnect the replicas. */
	public LostReplication(RedisProcess master) {
		this.admin = new RespConnection(master.port());
		this.admin.ask("CONFIG", "SET", "requirepass", "nobody knows it");
		this.admin.ask("CLIENT", "KILL", "TYPE", "replica");
	}

	/** Let the replicas connect again, if the master is still running. */
	@Override
	public void close() {
		try {
			this.admin.ask("CONFIG", "SET", "requirepass", "");
		}
		catch (UncheckedIOException ex) {
			// The master was killed meanwhile.
		}
		this.admin.close();
	}

}
