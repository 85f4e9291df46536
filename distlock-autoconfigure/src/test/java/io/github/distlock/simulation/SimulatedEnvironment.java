package io.github.distlock.simulation;

import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;

/** What the engine of a simulated JVM takes for the machine. */
record SimulatedEnvironment(World world, SimulatedJvm jvm) implements EngineEnvironment {

	@Override
	public TimeSource clock() {
		return this.jvm;
	}

	@Override
	public long waitingNanos() {
		return this.jvm.nanoTime();
	}

	@Override
	public RandomGenerator random() {
		return this.jvm.random;
	}

	@Override
	public String newInstanceId() {
		return this.jvm.newInstanceId();
	}

	@Override
	public EngineThreads newThreads() {
		return this.jvm.newThreads();
	}

	@Override
	public void startThread(String name, Runnable task) {
		this.world.scheduler.start(this.jvm + "/" + name, this.jvm, task);
	}

	@Override
	public Lock newLock() {
		return new SimulatedLock(this.world.scheduler);
	}

	@Override
	public void park(Object blocker, long nanos) {
		this.world.scheduler.park(nanos);
	}

	@Override
	public void unpark(Thread thread) {
		this.world.scheduler.unpark(thread);
	}

	@Override
	public Invariants invariants() {
		return (holds, invariant, subject) -> {
			this.world.history.count((subject instanceof Ticket) ? "invariants of holds" : "invariants of keys");
			if (!holds) {
				this.world.violation("invariant", invariant + ": " + subject + " in " + this.jvm);
			}
		};
	}

}
