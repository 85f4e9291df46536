package io.github.distlock.simulation;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.distlock.simulation.SimulatedThread.State;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.ThrowingSupplier;

/**
 * Virtual time, and the baton: of all threads of one history only the one that has the
 * baton runs. It may pass the baton at certain points, and does when it waits. Events,
 * such as a message that arrives, run on whichever thread looks for the next one; they
 * never wait. All state belongs to the thread that has the baton.
 */
final class Scheduler {

	/** A killed thread that does not end after so many calls is left behind. */
	private static final int MOST_KILLS = 5_000;

	/** A history of about 200 acquisitions needs some ten thousand steps. */
	private static final long MOST_STEPS = 3_000_000;

	/** Real time without a step, twice: a busy machine makes some. */
	private static final long LONGEST_STEP_SECONDS = 60;

	/** Begins the message of a history without further steps. */
	static final String HANGS = "The history hangs: ";

	/** The longest time that a thread is preempted at a point, in nanoseconds. */
	private static final double LONGEST_STALL = 40_000_000;

	/** Carriers that run nothing, also those of earlier histories. */
	private static final Deque<Carrier> IDLE = new ConcurrentLinkedDeque<>();

	private static final AtomicInteger CARRIERS = new AtomicInteger();

	private final Random random;

	/** How often the baton passes at a point where it may pass. */
	private final double passes;

	/** How often a thread stops for a while at such a point. */
	private final double stalls;

	private final Consumer<Throwable> failures;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final List<SimulatedThread> runnable = new ArrayList<>();

	private final List<SimulatedThread> threads = new ArrayList<>();

	private final Semaphore ended = new Semaphore(0);

	private long now;

	private long sequence;

	long steps;

	private boolean stopped;

	/** Whether the thread that has the baton keeps it, and no time passes. */
	private boolean quiet;

	private @Nullable SimulatedThread current;

	Scheduler(long seed, double passes, double stalls, Consumer<Throwable> failures) {
		this.random = new Random(seed);
		this.passes = passes;
		this.stalls = stalls;
		this.failures = failures;
	}

	/** True time since the history began. */
	long nanos() {
		return this.now;
	}

	SimulatedThread current() {
		SimulatedThread thread = this.current;
		if (thread == null) {
			throw new IllegalStateException("Only a simulated thread may do this");
		}
		return thread;
	}

	/** Start a thread. It runs when it gets the baton. */
	SimulatedThread start(String name, @Nullable SimulatedJvm jvm, Runnable body) {
		SimulatedThread thread = new SimulatedThread(name, jvm, body);
		this.threads.add(thread);
		this.runnable.add(thread);
		return thread;
	}

	/** Let an event happen some time later. It must not wait. */
	Event after(long nanos, Runnable action) {
		Event event = new Event(this.now + Math.max(0, nanos), this.sequence++, action);
		this.events.add(event);
		return event;
	}

	/**
	 * Run the history on this thread of the test until {@link #stop} or no step is left.
	 */
	void run() {
		SimulatedThread first = choose();
		if (first == null) {
			return;
		}
		give(first);
		awaitEnd();
		this.stopped = true;
		unwind();
	}

	/** End the history: the calling thread gives the baton back at its next step. */
	void stop() {
		this.stopped = true;
	}

	/** A point at which another thread may go on. */
	void mayPass() {
		SimulatedThread self = current();
		checkKilled(self);
		if (this.quiet) {
			return;
		}
		this.now += 1 + this.random.nextInt(1000);
		double chance = this.random.nextDouble();
		if (chance < this.stalls) {
			block((long) Math.pow(LONGEST_STALL, this.random.nextDouble()));
		}
		else if (chance < this.stalls + this.passes) {
			this.runnable.add(self);
			passFrom(self);
		}
	}

	/** Look at something without passing the baton: no time passes. */
	<T> T quietly(Supplier<T> question) {
		boolean before = this.quiet;
		this.quiet = true;
		try {
			return question.get();
		}
		finally {
			this.quiet = before;
		}
	}

	/** Wait for some time of the world. An interrupt does not end it. */
	void sleep(long nanos) {
		block(Math.max(0, nanos));
	}

	/**
	 * Wait until {@link #wake} or for some time, without a limit if it is negative. An
	 * interrupt does not end it.
	 */
	void block(long nanos) {
		waitAs(State.BLOCKED, nanos);
	}

	void wake(SimulatedThread thread) {
		if (thread.state == State.BLOCKED || thread.state == State.PARKED) {
			thread.state = State.RUNNABLE;
			thread.waits++;
			this.runnable.add(thread);
		}
	}

	/** As {@link java.util.concurrent.locks.LockSupport#parkNanos(long)}. */
	void park(long nanos) {
		SimulatedThread self = current();
		mayPass();
		if (self.permit || isInterrupted(self)) {
			self.permit = false;
			return;
		}
		if (nanos > 0) {
			waitAs(State.PARKED, nanos);
			self.permit = false;
		}
	}

	/** As {@link java.util.concurrent.locks.LockSupport#unpark(Thread)}. */
	void unpark(Thread thread) {
		SimulatedThread target = (thread instanceof Carrier carrier && carrier.scheduler == this) ? carrier.running
				: null;
		if (target != null) {
			target.permit = true;
			if (target.state == State.PARKED) {
				wake(target);
			}
		}
		mayPass();
	}

	void interrupt(SimulatedThread thread) {
		Carrier carrier = thread.carrier;
		if (carrier != null && thread.state != State.ENDED) {
			carrier.interrupt();
			// An event may run on the thread that is interrupted.
			interrupted(thread);
		}
	}

	/** A thread was interrupted: it does not stay parked. */
	void interrupted(SimulatedThread thread) {
		if (thread.state == State.PARKED) {
			wake(thread);
		}
	}

	private boolean isInterrupted(SimulatedThread thread) {
		return thread.carrier != null && thread.carrier.isInterrupted();
	}

	private void waitAs(State state, long nanos) {
		SimulatedThread self = current();
		checkKilled(self);
		if (this.quiet) {
			throw new IllegalStateException("A question must not wait");
		}
		self.state = state;
		long wait = ++self.waits;
		Event timer = null;
		if (nanos >= 0 && nanos < Long.MAX_VALUE / 4) {
			long local = (self.jvm != null && state == State.PARKED) ? self.jvm.toTrueNanos(nanos) : nanos;
			timer = after(local, () -> {
				if (self.waits == wait) {
					wake(self);
				}
			});
		}
		passFrom(self);
		if (timer != null) {
			cancel(timer);
		}
	}

	void cancel(Event event) {
		event.cancelled = true;
	}

	/** Give the baton to the next thread, and go on when this thread gets it back. */
	private void passFrom(SimulatedThread self) {
		SimulatedThread next = choose();
		if (next != self) {
			Carrier carrier = self.carrier;
			if (carrier == null) {
				throw new IllegalStateException(self + " has no carrier");
			}
			give(next);
			carrier.await();
		}
		this.current = self;
		checkKilled(self);
	}

	/** Give the baton to a thread, or back to the test if there is none. */
	private void give(@Nullable SimulatedThread next) {
		this.current = next;
		if (next == null) {
			this.ended.release();
			return;
		}
		Carrier carrier = next.carrier;
		if (carrier == null) {
			carrier = idleCarrier();
			carrier.runs++;
			carrier.running = next;
			carrier.scheduler = this;
			carrier.setName(next.name);
			next.carrier = carrier;
		}
		carrier.pass();
	}

	private static Carrier idleCarrier() {
		Carrier idle = IDLE.poll();
		if (idle == null) {
			idle = new Carrier(CARRIERS.incrementAndGet());
			idle.start();
		}
		return idle;
	}

	/** Run events until a thread can go on, and return that; null at the end. */
	private @Nullable SimulatedThread choose() {
		while (!this.stopped) {
			if (++this.steps > MOST_STEPS) {
				this.failures
					.accept(new IllegalStateException("The history does not end: more than " + MOST_STEPS + " steps"));
				return null;
			}
			while (!this.events.isEmpty() && (this.events.peek().at <= this.now || this.events.peek().cancelled)) {
				Event event = this.events.poll();
				if (!event.cancelled) {
					event.action.run();
				}
			}
			SimulatedThread next = chooseRunnable();
			if (next != null) {
				return next;
			}
			if (this.events.isEmpty()) {
				return null;
			}
			this.now = Math.max(this.now, this.events.peek().at);
		}
		return null;
	}

	private @Nullable SimulatedThread chooseRunnable() {
		int count = this.runnable.size();
		if (count == 0) {
			return null;
		}
		int start = (count == 1) ? 0 : this.random.nextInt(count);
		for (int i = 0; i < count; i++) {
			int index = (start + i) % count;
			SimulatedThread candidate = this.runnable.get(index);
			if (candidate.jvm == null || candidate.jvm.runs()) {
				this.runnable.remove(index);
				return candidate;
			}
		}
		return null;
	}

	/** Called by a carrier that has the baton: run its thread, and what follows it. */
	void runOn(Carrier carrier) {
		SimulatedThread thread = carrier.running;
		while (thread != null) {
			this.current = thread;
			try {
				checkKilled(thread);
				thread.body.run();
			}
			catch (Killed ex) {
				// It was told to end.
			}
			catch (Throwable ex) {
				if (!thread.killed) {
					this.failures.accept(ex);
				}
			}
			Thread.interrupted();
			thread.state = State.ENDED;
			thread.carrier = null;
			thread = follow(carrier, choose());
		}
	}

	/** Run the next thread on the same carrier, if it has none yet. */
	private @Nullable SimulatedThread follow(Carrier carrier, @Nullable SimulatedThread next) {
		if (next != null && next.carrier == null) {
			next.carrier = carrier;
			carrier.setName(next.name);
			carrier.running = next;
			return next;
		}
		carrier.running = null;
		carrier.scheduler = null;
		if (carrier.staysAfterThis()) {
			IDLE.push(carrier);
		}
		give(next);
		return null;
	}

	/** End all threads that are left, one after the other. */
	private void unwind() {
		// A thread that unwinds may start another one, which never runs.
		for (SimulatedThread thread : List.copyOf(this.threads)) {
			if (thread.carrier != null && thread.state != State.ENDED) {
				thread.killed = true;
				give(thread);
				awaitEnd();
			}
		}
	}

	/**
	 * End the running thread if its JVM has crashed: the library may have handled the
	 * first {@link Killed} as it handles any error of a task.
	 */
	void endIfKilled() {
		checkKilled(current());
	}

	private void checkKilled(SimulatedThread thread) {
		if (!thread.killed) {
			return;
		}
		if (++thread.kills > MOST_KILLS) {
			// It does not want to end. The carrier is lost.
			this.ended.release();
			new Semaphore(0).acquireUninterruptibly();
		}
		throw new Killed();
	}

	private void awaitEnd() {
		long before = -1;
		while (!ThrowingSupplier.<Boolean>of(() -> this.ended.tryAcquire(LONGEST_STEP_SECONDS, TimeUnit.SECONDS))
			.get()) {
			SimulatedThread stuck = this.current;
			if (this.steps == before) {
				IllegalStateException failure = new IllegalStateException(HANGS + stuck);
				if (stuck != null && stuck.carrier != null) {
					failure.setStackTrace(stuck.carrier.getStackTrace());
				}
				throw failure;
			}
			before = this.steps;
		}
	}

	/** Something that happens at its time. */
	static final class Event implements Comparable<Event> {

		private final long at;

		private final long number;

		private final Runnable action;

		private boolean cancelled;

		private Event(long at, long number, Runnable action) {
			this.at = at;
			this.number = number;
			this.action = action;
		}

		@Override
		public int compareTo(Event other) {
			int order = Long.compare(this.at, other.at);
			return (order != 0) ? order : Long.compare(this.number, other.number);
		}

	}

	/** Ends a simulated thread, whatever it does. */
	@SuppressWarnings("serial")
	static final class Killed extends Error {

		Killed() {
			super("The simulated thread ends", null, false, false);
		}

	}

}
