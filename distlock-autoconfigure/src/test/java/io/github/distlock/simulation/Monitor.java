package io.github.distlock.simulation;

import java.util.List;
import java.util.Random;

import io.github.distlock.LockBackendException;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.registry.RegistrySnapshot.LockState;

/**
 * What metrics, endpoints and operators ask the registry of a JVM while it works. It must
 * disturb nothing, and a lock that is held all the time is reported.
 */
record Monitor(World world, SimulatedJvm jvm, BackendLockRegistry registry, Random dice) {

	private static final int LOOKS = 30;

	private static final long MILLI = 1_000_000;

	void run() {
		for (int i = 0; i < LOOKS && !this.world.calm; i++) {
			this.world.scheduler.sleep(this.dice.nextInt(40) * this.dice.nextInt(40) * MILLI);
			try {
				look(this.dice.nextInt(8));
			}
			catch (LockBackendException | SimulatedError ex) {
				this.world.trace(this.jvm + "/monitor", "fails: " + ex.getMessage());
			}
		}
	}

	private void look(int what) {
		switch (what) {
			case 0 -> this.registry.inspection().inspect(Callers.key(this.dice.nextInt(this.world.plan.keys())));
			case 1 -> this.registry.store().verify();
			case 2 -> this.registry.store().ping();
			case 3, 4 -> this.world.trace(this.jvm + "/monitor",
					this.registry.store().location() + " " + this.registry.store().channel());
			default -> checkHeld();
		}
	}

	private void checkHeld() {
		List<Call> before = held();
		List<HeldLockSnapshot> snapshot = this.registry.snapshot().held();
		List<Call> after = held();
		before.stream().filter(after::contains).filter((call) -> !isIn(call, snapshot)).forEach((call) -> {
			this.world.violation("snapshot", call + " holds " + call.key() + ", and the snapshot does not say it");
		});
	}

	/** The calls of this JVM that hold their locks, and do not leave. */
	private List<Call> held() {
		return this.world.history.calls.stream()
			.filter((call) -> call.jvm == this.jvm && call.isInside() && !call.leaving)
			.filter((call) -> !this.world.history.hasRestarted(call))
			.filter((call) -> call.lock != null && this.world.scheduler.quietly(call.lock::isHeld))
			.toList();
	}

	private static boolean isIn(Call call, List<HeldLockSnapshot> snapshot) {
		return snapshot.stream()
			.anyMatch((held) -> held.key().equals(call.key()) && held.fencingToken() == call.token
					&& held.state() != LockState.LOST);
	}

}
