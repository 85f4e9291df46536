package io.github.distlock.lab.runs;

import java.io.IOException;
import java.net.URI;

import io.github.distlock.lab.processes.Http;

/**
 * The inventory node that has the faults: the last one.
 */
final class FaultyNode {

	private final Http http = new Http();

	private final URI address;

	private final Nodes nodes;

	FaultyNode(URI address, Nodes nodes) {
		this.address = address;
		this.nodes = nodes;
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
		if (fault == Fault.CRASH && this.nodes.revive()) {
			return true;
		}
		return this.http.send("DELETE", URI.create(this.address + "/fault")).contains("true");
	}

}
