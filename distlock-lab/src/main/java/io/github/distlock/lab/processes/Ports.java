package io.github.distlock.lab.processes;

import java.util.function.Consumer;

/**
 * Gives each server its usual port, or a free one if that is taken, and prints that.
 */
public final class Ports {

	private final PortPicker picker;

	private final boolean usual;

	private final Consumer<String> console;

	/**
	 * Start without ports in use.
	 * @param picker tests and picks
	 * @param usual whether to try the usual ports at all
	 * @param console gets a line if a port is taken
	 */
	public Ports(PortPicker picker, boolean usual, Consumer<String> console) {
		this.picker = picker;
		this.usual = usual;
		this.console = console;
	}

	/**
	 * Pick a port.
	 * @param wished the usual port of the server
	 * @return that port, or a free one
	 */
	public int pick(int wished) {
		int port = this.picker.pick(this.usual ? wished : 0);
		if (this.usual && port != wished) {
			this.console.accept("Port %d is taken: using %d".formatted(wished, port));
		}
		return port;
	}

}
