package io.github.distlock.model;

/** All steps from a state, and the properties of states. */
final class ProtocolModel {

	private final ServerSteps server;

	private final ClientSteps clients;

	private final FaultSteps faults;

	final TimeSteps time;

	private final ProtocolProperties properties;

	ProtocolModel(SearchSettings settings) {
		ClientRules rules = new ClientRules(settings);
		this.faults = new FaultSteps(settings);
		this.server = new ServerSteps(settings, rules, this.faults);
		this.clients = new ClientSteps(settings, rules);
		this.time = new TimeSteps(settings);
		this.properties = new ProtocolProperties(settings);
	}

	void next(World world, Successors out) {
		boolean due = this.server.add(world, out);
		due |= this.clients.add(world, out);
		due |= this.faults.add(world, out);
		this.time.add(world, due, out);
		if (!due) {
			this.properties.checkAtRest(world);
		}
	}

	void check(World world) {
		this.properties.check(world);
	}

}
