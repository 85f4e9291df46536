package io.github.distlock.sample.lab.launcher;

/**
 * Gives each server its usual port, or a free one if that is taken, and prints that.
 */
final class Ports {

	private final PortPicker picker;

	private final boolean usual;

	private final Console console;

	/**
	 * Start without ports in use.
	 * @param picker tests and picks
	 * @param usual whether to try the usual ports at all
	 * @param console names a port that is taken
	 */
	Ports(PortPicker picker, boolean usual, Console console) {
		this.picker = picker;
		this.usual = usual;
		this.console = console;
	}

	int pick(int wished) {
		int port = this.picker.pick(this.usual ? wished : 0);
		if (this.usual && port != wished) {
			this.console.line("Port %d is taken: using %d", wished, port);
		}
		return port;
	}

}
