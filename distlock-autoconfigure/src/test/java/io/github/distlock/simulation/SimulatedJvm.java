package io.github.distlock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;

/**
 * One JVM of the world: clocks, a registry that starts and ends, threads. It can be
 * paused, and it can crash; then {@link World} starts another one in its place, with
 * another incarnation.
 */
final class SimulatedJvm implements TimeSource, EngineEnvironment {

	private final World world;

	private final Scheduler scheduler;

	/** Such as {@code B}, and {@code B2} after a crash. */
	final String name;

	private final RandomGenerator random;

	/** How much faster than true time the monotonic clock runs. */
	private final double drift;

	private final long originNanos;

	private long wallMillis;

	/**
	 * When a fault last kept a command of this JVM from being answered in time; and when
	 * one last kept its threads or executors from working.
	 */
	long troubledNanos = -1;

	long stalledNanos = -1;

	/** When its wall clock was last set back. */
	long wentBackNanos = -1;

	/** Whether no thread of this JVM runs. */
	boolean paused;

	/** Whether it is gone for good. */
	boolean crashed;

	SimulatedJvm(World world, String name, long seed, double drift) {
		this.world = world;
		this.scheduler = world.scheduler;
		this.name = name;
		this.drift = drift;
		Random own = new Random(seed);
		this.random = own;
		this.originNanos = own.nextLong() >> 2;
		this.wallMillis = 1_700_000_000_000L + own.nextInt(1000);
		this.driver = new SimulatedExecutor(this.scheduler, this, "driver", 1);
	}

	@Override
	public TimeSource clock() {
		return this;
	}

	@Override
	public long waitingNanos() {
		return nanoTime();
	}

	@Override
	public RandomGenerator random() {
		return this.random;
	}

	@Override
	public void startThread(String threadName, Runnable task) {
		this.scheduler.start(this + "/" + threadName, this, task);
	}

	@Override
	public Lock newLock() {
		return new SimulatedLock(this.scheduler);
	}

	@Override
	public void park(Object blocker, long nanos) {
		this.scheduler.park(nanos);
	}

	@Override
	public void unpark(Thread thread) {
		this.scheduler.unpark(thread);
	}

	@Override
	public Invariants invariants() {
		return (holds, invariant, subject) -> {
			this.world.history.count((subject instanceof Ticket) ? "invariants of holds" : "invariants of keys");
			if (!holds) {
				this.world.violation("invariant", invariant + ": " + subject + " in " + this);
			}
		};
	}

	@Override
	public String newInstanceId() {
		this.runs++;
		return instanceId();
	}

	@Override
	public EngineThreads newThreads() {
		return new EngineThreads(executor("io", 4), executor("renewal", 2), executor("callback", 2),
				executor("timer", 1));
	}

	private SimulatedExecutor executor(String role, int maximum) {
		SimulatedExecutor created = new SimulatedExecutor(this.scheduler, this, role, maximum);
		this.executors.add(created);
		return created;
	}

	/** Run something on the one thread of the client of the store. */
	void onDriver(Runnable task) {
		this.driver.add(task);
	}

	/** The faults that have not struck do not any more. */
	void forgetFaults() {
		this.refusals = 0;
		this.errors = 0;
	}

	/**
	 * A fault may make an executor refuse a task. All but those of callbacks may also
	 * throw an error: a callback would be lost if its second way failed, too.
	 */
	void mayReject(String executor) {
		if (this.refusals > 0) {
			this.refusals--;
			stalled();
			if (this.refusals % 2 == 1 && !executor.equals("callback")) {
				throw new SimulatedError("Thrown by a fault: " + executor);
			}
			throw new RejectedExecutionException("Refused by a fault: " + executor);
		}
	}

	/** A fault keeps a command from being answered in time. */
	void troubled() {
		this.troubledNanos = this.scheduler.nanos();
	}

	/** A fault keeps threads or executors from working. */
	void stalled() {
		this.stalledNanos = this.scheduler.nanos();
		troubled();
	}

	/** The name of the current run of its registry in tickets. */
	String instanceId() {
		return this.name + "-" + this.runs;
	}

	/** A thread of a pool did not catch this: it must come from a fault. */
	void uncaught(Throwable ex) {
		if (!(ex instanceof SimulatedError)) {
			this.world.violation("uncaught", World.describe(ex));
		}
	}

	/** How many of the next tasks its executors refuse. */
	int refusals;

	/** How many of the next calls of the store throw an error. */
	int errors;

	private final SimulatedExecutor driver;

	/** The pools of all runs of its registry. */
	final List<SimulatedExecutor> executors = new ArrayList<>();

	private int runs;

	boolean runs() {
		return !this.paused && !this.crashed;
	}

	@Override
	public long nanoTime() {
		return this.originNanos + this.scheduler.nanos() + (long) (this.scheduler.nanos() * this.drift);
	}

	@Override
	public long wallMillis() {
		// As a machine disciplines both clocks in the same way.
		return this.wallMillis + (nanoTime() - this.originNanos) / 1_000_000;
	}

	void stepWallClock(long millis) {
		this.wallMillis += millis;
		this.wentBackNanos = (millis < 0) ? this.scheduler.nanos() : this.wentBackNanos;
	}

	/** Convert a duration of this JVM's monotonic clock to true time. */
	long toTrueNanos(long nanos) {
		return (long) Math.ceil(nanos / (1 + this.drift));
	}

	@Override
	public String toString() {
		return this.name;
	}

}
