package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.net.URI;

/**
 * The inventory node on which things go wrong: the last one.
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
	 * Aim a fault at the next holder on this node.
	 * @param fault which; none does nothing
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
	 * Take the fault back, and start the node again if that ended it. Blocks until it
	 * serves.
	 * @param fault which was aimed
	 * @return whether it met a holder
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
