package io.github.distlock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.distlock.LockRegistry;
import io.github.distlock.simulation.Caller.Work;

/** The work of one JVM: some threads that call for locks, hold them, and close them. */
final class Callers {

	private final World world;

	private final SimulatedJvm jvm;

	private final List<Caller> callers = new ArrayList<>();

	/** Asynchronous calls that are not answered. */
	private final List<Call> pending = new ArrayList<>();

	/** Threads that work, and unanswered calls. */
	private int busy;

	private int threads;

	private boolean started;

	Callers(World world, SimulatedJvm jvm, LockRegistry registry, History history, Random random, int place) {
		this.world = world;
		this.jvm = jvm;
		for (int i = 1; i <= world.plan.callers(); i++) {
			this.callers.add(new Caller(world, jvm, registry, history, this, place, jvm + "/c" + i,
					new Random(random.nextLong())));
		}
	}

	static String key(int index) {
		return "k" + index;
	}

	/** Whether a key is also used by readers and writers. */
	static boolean isShared(Plan plan, int index) {
		return plan.permits() > 0 || (plan.seed() + index) % 3 == 0;
	}

	void start() {
		this.started = true;
		this.callers.forEach((caller) -> caller.thread = onThread(caller.name, caller::run));
	}

	SimulatedThread onThread(String name, Work work) {
		this.busy++;
		return this.world.scheduler.start(name, this.jvm, () -> {
			try {
				work.run();
			}
			catch (InterruptedException ex) {
				this.world.violation("contract", name + " was interrupted where it must not be");
			}
			finally {
				this.busy--;
			}
		});
	}

	String threadName(String role) {
		return this.jvm + "/" + role + ++this.threads;
	}

	void asked(Call call) {
		this.busy++;
		this.pending.add(call);
	}

	void answered(Call call) {
		this.busy--;
		this.pending.remove(call);
	}

	/** Whether all calls have been made and all locks were closed. */
	boolean isFinished() {
		return this.started && this.busy == 0;
	}

	String unfinished() {
		List<String> names = new ArrayList<>();
		this.callers.forEach((caller) -> {
			Call call = caller.current;
			if (call != null) {
				names.add(call + ((call.end != null) ? " " + call.end : " unanswered"));
			}
		});
		this.pending.forEach((call) -> names.add(call + " unanswered"));
		return names.toString();
	}

	/** A fault: interrupt a caller in the middle of a call. */
	void interruptOne(Random random) {
		List<Caller> candidates = this.callers.stream().filter(Caller::isCalling).toList();
		if (!candidates.isEmpty()) {
			candidates.get(random.nextInt(candidates.size())).interrupt();
		}
	}

	/** A fault: cancel an asynchronous call. */
	void cancelOne(Random random) {
		if (!this.pending.isEmpty()) {
			Call call = this.pending.get(random.nextInt(this.pending.size()));
			onThread(threadName("cancel"), () -> Caller.cancel(this.world, call));
		}
	}

}
