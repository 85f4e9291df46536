package io.github.distlock.backend.jdbc;

import java.util.function.Consumer;

import io.github.distlock.backend.TimeSource;

/**
 * Runs commands on reserved connections, and returns the connections.
 */
final class ReservedExecution {

	private final ReservedConnections reserve;

	private final ReservedConnectionsMaintenance maintenance;

	private final TimeSource clock;

	ReservedExecution(ReservedConnections reserve, ReservedConnectionsMaintenance maintenance, TimeSource clock) {
		this.reserve = reserve;
		this.maintenance = maintenance;
		this.clock = clock;
	}

	/**
	 * Run a command on a connection that was taken, and return the connection.
	 * @param command the command
	 * @param reserved the connection
	 * @param otherConnection what to do if this connection cannot be used
	 * @param next gets what remains to be done after the connection has been returned:
	 * complete the command, or {@code otherConnection}
	 */
	void run(JdbcCommand<?> command, ReservedConnection reserved, Runnable otherConnection, Consumer<Runnable> next) {
		boolean usable = false;
		boolean databaseFailed = false;
		Runnable end = otherConnection;
		try {
			if (this.reserve.validate(reserved)) {
				end = command.run(reserved.connection, this.clock);
				this.reserve.answered(reserved);
				usable = !reserved.connection.wasOverdue();
			}
		}
		catch (Throwable ex) {
			usable = false;
			end = () -> command.fail(ex);
			databaseFailed = JdbcExceptionTranslator.isDatabaseFailure(ex);
			usable = reserved.connection.isUsableAfter(ex);
		}
		finally {
			try {
				this.maintenance.takeBack(reserved, usable, databaseFailed);
			}
			finally {
				next.accept(end);
			}
		}
	}

}
