package io.github.distlock.simulation;

import java.util.EnumSet;

import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;

/** Locks in the simulated server, for one simulated JVM. */
final class SimulatedBackend implements LockBackend {

	private final World world;

	private final SimulatedNetwork network;

	private final SimulatedJvm jvm;

	private final BackendDescription description;

	SimulatedBackend(World world, SimulatedNetwork network, SimulatedJvm jvm) {
		this.world = world;
		this.network = network;
		this.jvm = jvm;
		this.description = new BackendDescription("simulated", EnumSet.allOf(LockMode.class), true, true,
				ServerScript.COUNT, world.plan.commandTimeout(), 100, true);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public LockStore open(StoreContext context) {
		return new SimulatedStore(this.world, this.network, this.jvm, context);
	}

}
