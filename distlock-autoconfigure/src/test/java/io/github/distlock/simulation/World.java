package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockException;
import io.github.distlock.LockListener;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.engine.KeySnapshot;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;

/**
 * One history: the JVMs, the network, the server, and what happened. This is the only
 * class that creates registries.
 */
final class World {

	/** The keys of calls that no property judges begin with this. */
	static final String LAST = "last";

	/** Virtual time after which callers that still wait are a violation. */
	private static final Duration LONGEST = Duration.ofMinutes(10);

	private static final long CHECK_NANOS = Duration.ofMillis(20).toNanos();

	private static final Duration SHUTDOWN_GRACE = Duration.ofSeconds(1);

	private static final Duration SLOW_WAIT = Duration.ofMillis(100);

	final Plan plan;

	final ServerScript.Factory scripts;

	final PromiseFlaw flaw;

	final Trace trace;

	final Scheduler scheduler;

	/** Delays of packets and messages. */
	final Random networkRandom;

	final SimulatedNetwork network;

	final History history;

	/** Violations that were found; empty if all is well. */
	final List<Violation> violations = new ArrayList<>();

	/** The node at each place; another one after a crash. */
	private final List<Node> nodes = new ArrayList<>();

	private final Random faultRandom;

	private final Random leavingRandom;

	/** Whether faults still happen. */
	boolean calm;

	World(Plan plan, boolean traced, ServerScript.Factory scripts, PromiseFlaw flaw) {
		this.plan = plan;
		this.flaw = flaw;
		this.scripts = scripts;
		this.trace = new Trace(traced);
		this.networkRandom = new Random(plan.seed() * 31 + 7);
		this.faultRandom = new Random(plan.seed() * 31 + 13);
		this.leavingRandom = new Random(plan.seed() * 31 + 17);
		this.scheduler = new Scheduler(plan.seed() * 31 + 11, plan.passes(), plan.stalls(),
				(ex) -> violation("uncaught", describe(ex)));
		this.network = new SimulatedNetwork(this);
		this.history = new History(this);
	}

	static String describe(Throwable ex) {
		StackTraceElement[] stack = ex.getStackTrace();
		return ex + ((stack.length > 0) ? " at " + stack[0] : "");
	}

	void run() {
		this.scheduler.start("world", null, this::live);
		this.scheduler.run();
	}

	private void live() {
		for (int i = 0; i < this.plan.jvms(); i++) {
			this.nodes.add(new Node(i, 1));
		}
		for (Fault fault : this.plan.faults()) {
			this.scheduler.after(fault.atNanos(), () -> begin(fault));
		}
		while (!this.nodes.stream().allMatch(Node::isFinished)) {
			if (this.scheduler.nanos() > LONGEST.toNanos()) {
				violation("L1", "Callers still wait after " + LONGEST + ": "
						+ this.nodes.stream().filter((node) -> !node.isFinished()).map(Node::unfinished).toList());
				this.scheduler.stop();
				return;
			}
			this.scheduler.sleep(CHECK_NANOS);
			this.history.watch.look();
		}
		this.calm = true;
		this.nodes.forEach((node) -> node.jvm.forgetFaults());
		this.network.forgetFaults();
		// Longer than each lease, grace, retry and tombstone.
		this.scheduler.sleep(Duration.ofSeconds(50).toNanos());
		// Each registry still works.
		this.nodes.forEach(Node::makeLastCall);
		this.scheduler.sleep(Duration.ofSeconds(20).toNanos());
		this.nodes.forEach((node) -> this.history.rules.checkJvmAtEnd(node.jvm, node.registry.snapshot()));
		this.history.checkServerAtEnd();
		this.nodes.forEach(Node::shutDown);
		while (!this.nodes.stream().allMatch((node) -> node.shutDown)) {
			this.scheduler.sleep(CHECK_NANOS);
		}
		this.scheduler.stop();
		this.scheduler.sleep(0);
	}

	private void begin(Fault fault) {
		if (this.calm) {
			return;
		}
		Node node = this.nodes.get(fault.jvm());
		if (node.jvm.crashed && fault.kind() == Fault.Kind.CRASH) {
			return;
		}
		trace(node.jvm, "FAULT " + fault.number() + " " + fault.kind() + " for " + fault.nanos() / 1000 + " us, "
				+ fault.count());
		this.history.fault(fault, node.jvm);
		switch (fault.kind()) {
			case PAUSE -> pause(node.jvm, fault.nanos());
			case CRASH -> crash(fault, node);
			case REFUSE_TASKS -> node.jvm.refusals += fault.count();
			case ERRORS -> node.jvm.errors += fault.count();
			case STEP_WALL_CLOCK -> {
				long millis = (this.faultRandom.nextBoolean() ? 1 : -1) * (fault.nanos() / 1_000_000);
				node.jvm.stepWallClock((this.flaw == PromiseFlaw.SUSPENSION_UNSEEN) ? 0 : millis);
				this.history.watch.stepped(node.jvm, millis);
			}
			case RESTART_REGISTRY -> node.restart(fault.nanos());
			case END_GRANT -> node.endGrant(this.faultRandom.nextInt(this.plan.keys()));
			case INTERRUPT -> node.callers.interruptOne(this.faultRandom);
			case CANCEL -> node.callers.cancelOne(this.faultRandom);
			default -> this.network.begin(fault, node.jvm);
		}
	}

	/** In some histories callers give up just when their JVM is granted a lock. */
	void granting(SimulatedJvm jvm) {
		if (this.plan.seed() % 3 != 0 || this.calm || this.leavingRandom.nextInt(6) != 0) {
			return;
		}
		for (Node node : this.nodes) {
			if (node.jvm == jvm) {
				if (this.leavingRandom.nextBoolean()) {
					node.callers.interruptOne(this.leavingRandom);
				}
				else {
					node.callers.cancelOne(this.leavingRandom);
				}
			}
		}
	}

	private void pause(SimulatedJvm jvm, long nanos) {
		jvm.paused = true;
		this.scheduler.after(nanos, () -> {
			jvm.paused = false;
			jvm.stalled();
			trace(jvm, "goes on");
		});
	}

	private void crash(Fault fault, Node node) {
		node.jvm.crashed = true;
		this.network.crashed(node.jvm);
		this.history.crashed(node.jvm);
		this.scheduler.after(fault.nanos(), () -> {
			if (!this.calm) {
				this.nodes.set(fault.jvm(), new Node(fault.jvm(), node.incarnation + 1));
			}
		});
	}

	void trace(Object actor, String event) {
		this.trace.add(this.scheduler.nanos(), actor.toString(), event);
	}

	void violation(String property, String text) {
		this.violations.add(new Violation(property, text, this.scheduler.nanos()));
		trace("VIOLATION", property + ": " + text);
	}

	private RegistrySettings settings() {
		return new RegistrySettings(Duration.ofSeconds(2), this.plan.leaseTime(), null,
				new HandOffLimits(this.plan.handOffBudget(), this.plan.handOffMaxTime()), this.plan.backendTimeout(),
				this.plan.interruptsOwners(), SHUTDOWN_GRACE, null,
				this.plan.seed() % 4 == 3 ? SLOW_WAIT : Duration.ofSeconds(10),
				this.plan.background() ? ReleaseMode.BACKGROUND : ReleaseMode.CONFIRMED, this.plan.maxWaiting(), false);
	}

	/** A JVM with its registry and its callers. */
	private final class Node {

		private final int incarnation;

		private final SimulatedJvm jvm;

		private final BackendLockRegistry registry;

		private final Callers callers;

		private boolean shutDown;

		Node(int place, int incarnation) {
			this.incarnation = incarnation;
			long seed = (World.this.plan.seed() * 31 + place) * 31 + incarnation;
			double drift = World.this.plan.drift() ? (new Random(seed).nextDouble() - 0.5) * 0.008 : 0;
			String name = Character.toString('A' + place) + ((incarnation > 1) ? incarnation : "");
			this.jvm = new SimulatedJvm(World.this, name, seed, drift);
			LockListener listener = World.this.history.listener(this.jvm, this::keys);
			this.registry = new BackendLockRegistry(SimulatedStore.backend(World.this, this.jvm), settings(),
					() -> List.of(listener), (EngineEnvironment) this.jvm, LockObservers.NONE);
			this.callers = new Callers(World.this, this.jvm, this.registry, World.this.history, new Random(seed + 1),
					place);
			Monitor monitor = new Monitor(World.this, this.jvm, this.registry, new Random(seed + 3));
			onThread("main", () -> {
				this.registry.start();
				this.callers.start();
				if (World.this.plan.seed() % 4 == 3) {
					onThread("monitor", monitor::run);
				}
			});
		}

		private void onThread(String role, Runnable task) {
			World.this.scheduler.start(this.jvm + "/" + role, this.jvm, task);
		}

		/** The keys that the registry uses now, none while it does not run. */
		private List<KeySnapshot> keys() {
			try {
				return this.registry.snapshot().keys();
			}
			catch (LockBackendException ex) {
				return List.of();
			}
		}

		boolean isFinished() {
			return !this.jvm.crashed && this.callers.isFinished();
		}

		String unfinished() {
			return this.jvm + " " + this.callers.unfinished();
		}

		void restart(long nanos) {
			onThread("restart", () -> {
				long begun = World.this.scheduler.nanos();
				this.registry.shutdown();
				World.this.scheduler.sleep(nanos);
				if (nanos > 2 * World.this.plan.commandTimeout().toNanos()) {
					World.this.history.shutDown(this.jvm, begun);
				}
				this.registry.start();
			});
		}

		void makeLastCall() {
			onThread("last", () -> {
				try {
					this.registry.acquire(LockRequest.of(LAST + this.jvm)).close();
				}
				catch (LockException | SimulatedError ex) {
					World.this.trace(this.jvm + "/last", "fails: " + ex.getMessage());
				}
			});
		}

		void endGrant(int key) {
			onThread("operator", () -> {
				String name = Callers.key(key);
				try {
					StoredLock lock = this.registry.inspection().inspect(name);
					if (!lock.holders().isEmpty()) {
						long token = lock.holders().get(0).grantToken();
						World.this.history.rules.ending(name);
						World.this.trace(this.jvm + "/operator",
								"ends " + name + " " + token + ": " + this.registry.inspection().end(name, token));
					}
				}
				catch (RuntimeException | SimulatedError ex) {
					World.this.trace(this.jvm + "/operator", "fails: " + ex.getMessage());
				}
			});
		}

		void shutDown() {
			if (this.jvm.crashed) {
				this.shutDown = true;
				return;
			}
			onThread("shutdown", () -> {
				this.registry.shutdown();
				this.shutDown = true;
			});
		}

	}

	/** Something that must not have happened, and when it was found. */
	record Violation(String property, String text, long nanos) {

		@Override
		public String toString() {
			return this.property + ": " + this.text;
		}

	}

}
