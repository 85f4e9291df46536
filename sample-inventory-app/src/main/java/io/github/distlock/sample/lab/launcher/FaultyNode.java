package io.github.distlock.sample.lab.launcher;

import java.io.IOException;
import java.net.URI;

/**
 * The inventory node that has the faults: the last one.
 */
final class FaultyNode {

	private final Http http = new Http();

	private final URI address;

	private final Services services;

	FaultyNode(URI address, Services services) {
		this.address = address;
		this.services = services;
	}

	/**
	 * Request a fault for the next holder on this node.
	 * @param fault the fault; {@code NONE} does nothing
	 */
	void arm(Fault fault) throws IOException, InterruptedException {
		if (fault == Fault.NONE) {
			return;
		}
		try {
			this.http.send("PUT", URI.create("%s/fault/%s".formatted(this.address, fault.option())));
		}
		catch (Http.BadAnswerException ex) {
			throw ex;
		}
		catch (IOException ex) {
			// A holder may crash before the node has answered.
			if (fault != Fault.CRASH) {
				throw ex;
			}
		}
	}

	/**
	 * Take the fault back, and start the node again if the fault ended it. Blocks until
	 * the node serves.
	 * @param fault the fault that was requested
	 * @return whether it struck a holder
	 */
	boolean recover(Fault fault) throws IOException, InterruptedException {
		if (fault == Fault.NONE) {
			return true;
		}
		if (fault == Fault.CRASH && this.services.revive()) {
			return true;
		}
		return this.http.send("DELETE", URI.create(this.address + "/fault")).contains("true");
	}

}
