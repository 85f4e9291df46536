package io.github.distlock.testing;

/**
 * Stops the process of a running Redis for a while.
 */
public final class RedisFaults {

	private final long pid;

	/** Find the process of a server by its port. */
	public RedisFaults(int port) {
		try (RespConnection connection = new RespConnection(port)) {
			this.pid = String.valueOf(connection.ask("INFO", "server"))
				.lines()
				.filter((line) -> line.startsWith("process_id:"))
				.mapToLong((line) -> Long.parseLong(line.substring("process_id:".length())))
				.findFirst()
				.orElseThrow();
		}
	}

	/** Stop the process. The kernel still accepts data for it. */
	public void stall() {
		ChildJvm.signal(this.pid, "STOP");
	}

	/** Resume the process. */
	public void resume() {
		ChildJvm.signal(this.pid, "CONT");
	}

}
