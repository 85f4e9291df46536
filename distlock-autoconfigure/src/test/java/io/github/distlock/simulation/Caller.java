package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.simulation.Call.End;
import io.github.distlock.simulation.Call.How;
import org.jspecify.annotations.Nullable;

/**
 * One thread of the application. It makes calls of all kinds, one after the other, and
 * works under its locks as {@link Sections} describes.
 */
final class Caller {

	/** Beyond the lease of some histories. */
	private static final Duration LONG_HOLD = Duration.ofSeconds(4);

	private static final long MILLI = 1_000_000;

	private static final int OFTEN = 17;

	/** A caller that has this lock without knowing it blocks the others for long. */
	static final Duration LASTING = Duration.ofSeconds(30);

	private final World world;

	private final SimulatedJvm jvm;

	private final LockRegistry registry;

	private final History history;

	private final Callers callers;

	private final Sections sections;

	private final int place;

	final String name;

	private final Random random;

	@Nullable SimulatedThread thread;

	/** The call that this thread makes, or whose lock it holds. */
	@Nullable Call current;

	/** Whether this thread was interrupted since it last cleared its status. */
	private boolean interrupted;

	private int calls;

	Caller(World world, SimulatedJvm jvm, LockRegistry registry, History history, Callers callers, int place,
			String name, Random random) {
		this.world = world;
		this.jvm = jvm;
		this.registry = registry;
		this.history = history;
		this.callers = callers;
		this.sections = new Sections(world, registry, history, callers);
		this.place = place;
		this.name = name;
		this.random = random;
	}

	void run() throws InterruptedException {
		for (int i = 0; i < this.world.plan.calls(); i++) {
			Random dice = new Random(this.random.nextLong());
			if (dice.nextInt(100) == 0) {
				callOften(dice);
			}
			else if (this.world.plan.keys() > 1 && dice.nextInt(20) == 0) {
				callForSeveral(dice);
			}
			else {
				callForOne(dice);
			}
			this.current = null;
			Thread.interrupted();
			this.interrupted = false;
			this.world.scheduler.sleep(dice.nextInt(4) * dice.nextInt(3) * MILLI * dice.nextInt(5) / 2);
		}
	}

	/** Whether it is in the middle of a call that waits. */
	boolean isCalling() {
		return this.current != null && this.current.end == null && !this.current.isAsync();
	}

	/** Interrupt it; an event may do this. */
	void interrupt() {
		this.interrupted = true;
		if (this.current != null) {
			this.current.interrupted = true;
		}
		this.world.trace(this.name, "is interrupted");
		if (this.thread != null) {
			this.world.scheduler.interrupt(this.thread);
		}
	}

	private void callForOne(Random dice) throws InterruptedException {
		How how = How.values()[dice.nextInt(How.values().length)];
		LockRequest request = (dice.nextInt(6) == 0) ? homeRequest(dice)
				: randomRequest(dice, how, dice.nextInt(this.world.plan.keys()));
		Call call = newCall(how, request, dice);
		if (call.isAsync()) {
			callAsync(call);
		}
		else if (enter(call)) {
			this.sections.use(call, true);
		}
	}

	private Call newCall(How how, LockRequest request, Random dice) {
		Call call = new Call(this.jvm, this.place, this.name + "#" + ++this.calls, how, request, dice);
		this.current = call;
		return call;
	}

	private LockRequest randomRequest(Random dice, How how, int key) {
		Plan plan = this.world.plan;
		LockRequest request = LockRequest.of(Callers.key(key)).waitTime(randomWait(dice));
		if (how == How.VIEW) {
			return request;
		}
		if (Callers.isShared(plan, key)) {
			request = (plan.permits() > 0) ? limited(request, dice)
					: request.mode(LockMode.values()[dice.nextInt(LockMode.values().length)]);
		}
		request = request.fair(dice.nextInt(6) == 0);
		if (plan.isLimited() && dice.nextInt(3) == 0) {
			request = request.maxWaiting(1 + dice.nextInt(plan.maxWaiting()));
		}
		int lease = (int) plan.leaseTime().toMillis();
		switch (dice.nextInt(8)) {
			case 0 -> request = request.leaseTime(Duration.ofMillis(100 + dice.nextInt(300)));
			case 1 ->
				request = request.leaseTime(Duration.ofMillis(lease)).minHold(randomMinHold(dice, plan.leaseTime()));
			case 2 -> request = (dice.nextInt(3) == 0) ? request.minHold(randomMinHold(dice, LONG_HOLD)) : request;
			case 3 -> request = (dice.nextInt(3) == 0) ? request.leaseTime(LASTING) : request;
			default -> {
				// The watchdog renews it.
			}
		}
		return request;
	}

	/** Most callers have the permits of the plan, some have others or none. */
	private LockRequest limited(LockRequest request, Random dice) {
		return switch (dice.nextInt(10)) {
			case 0 -> request.mode(LockMode.values()[dice.nextInt(LockMode.values().length)]);
			case 1, 2 -> request.permits(1 + dice.nextInt(5));
			default -> request.permits(this.world.plan.permits());
		};
	}

	/** Use the same lock again and again, while its last release is on its way. */
	private void callOften(Random dice) throws InterruptedException {
		for (int i = 0; i < OFTEN; i++) {
			Call call = newCall(How.TRY, LockRequest.of("home" + this.place).waitTime(Duration.ZERO), dice);
			if (enter(call)) {
				this.world.scheduler.sleep(dice.nextInt(100_000));
				this.sections.close(call);
			}
		}
	}

	/** For the key of one JVM, which other JVMs seldom use. */
	private LockRequest homeRequest(Random dice) {
		boolean own = dice.nextInt(8) != 0;
		String key = "home" + (own ? this.place : dice.nextInt(this.world.plan.jvms()));
		return LockRequest.of(key)
			.waitTime((dice.nextInt(3) == 0) ? Duration.ZERO : Duration.ofMillis(dice.nextInt(1000)));
	}

	private static Duration randomMinHold(Random dice, Duration longest) {
		return Duration.ofMillis(
				1 + ((dice.nextInt(4) == 0) ? dice.nextLong(longest.toMillis()) : dice.nextInt(10) * dice.nextInt(30)));
	}

	private static Duration randomWait(Random dice) {
		return switch (dice.nextInt(10)) {
			case 0 -> Duration.ZERO;
			case 1 -> LockRequest.FOREVER;
			case 2 -> Duration.ofMillis(1 + dice.nextInt(30));
			default -> Duration.ofMillis(1 + dice.nextInt(3000));
		};
	}

	private boolean enter(Call call) throws InterruptedException {
		this.history.begin(call);
		if (call.dice.nextInt(25) == 0) {
			this.world.scheduler.after(call.dice.nextInt(60) * MILLI, () -> {
				if (this.current == call && call.end == null && this.jvm.runs()) {
					interrupt();
				}
			});
		}
		try {
			HeldLock lock = switch (call.how) {
				case VIEW -> view(call);
				case ACQUIRE -> this.registry.acquire(call.request);
				default -> this.registry.tryAcquire(call.request).orElse(null);
			};
			this.world.scheduler.endIfKilled();
			if (lock != null) {
				this.history.entered(call, lock);
				return true;
			}
			if (call.end == null) {
				this.history.ended(call, call.endWithoutLock(), null);
			}
		}
		catch (LockException | InterruptedException | SimulatedError ex) {
			this.world.scheduler.endIfKilled();
			failed(call, ex);
		}
		return false;
	}

	private void failed(Call call, Throwable ex) {
		End end = this.history.failed(call, ex);
		if (end == End.INTERRUPTED) {
			// As the owner of a lost lock it may be interrupted by the registry.
			if (!this.interrupted && !this.world.plan.interruptsOwners()) {
				this.world.violation("contract", call + " ended as interrupted, and was not");
			}
			if (!(ex instanceof InterruptedException) && !Thread.currentThread().isInterrupted()) {
				this.world.violation("contract", call + " has lost its interrupt");
			}
		}
		else if (end == End.STORE_FAILED) {
			this.world.scheduler.sleep((10 + call.dice.nextInt(200)) * MILLI);
		}
	}

	private @Nullable HeldLock view(Call call) throws InterruptedException {
		Lock view = this.registry.obtain(call.key());
		long wait = call.waitNanos();
		if (wait < 0) {
			if (call.dice.nextBoolean()) {
				view.lock();
			}
			else {
				view.lockInterruptibly();
			}
		}
		else if (!((wait == 0) ? view.tryLock() : view.tryLock(wait, TimeUnit.NANOSECONDS))) {
			return null;
		}
		call.view = view;
		try {
			// Provides what the view hides.
			return this.sections.reenter(call, LockRequest.of(call.key()));
		}
		catch (LockException ex) {
			// The lease has passed, or the registry runs no longer.
			this.history.entered(call, null);
			this.sections.close(call);
			return null;
		}
	}

	/**
	 * Make a call that does not block, and wait for it, cancel it, or do other things.
	 */
	private void callAsync(Call call) {
		this.history.begin(call);
		this.callers.asked(call);
		CompletableFuture<?> future;
		try {
			future = (call.how == How.ASYNC) ? this.registry.acquireAsync(call.request)
					: this.registry.tryAcquireAsync(call.request);
		}
		catch (LockException | SimulatedError ex) {
			this.callers.answered(call);
			failed(call, ex);
			return;
		}
		call.future = future;
		future.whenComplete((value, failure) -> answered(call, value, failure));
		int next = call.dice.nextInt(7);
		if (next == 0) {
			return;
		}
		if (next == 1) {
			this.world.scheduler.sleep(call.dice.nextInt(10) * call.dice.nextInt(30) * MILLI);
			cancel(this.world, call);
		}
		while (!call.over) {
			call.awaited = true;
			this.world.scheduler.block(-1);
			call.awaited = false;
		}
	}

	static void cancel(World world, Call call) {
		if (call.future != null && call.end == null) {
			world.trace(call.label, "is cancelled");
			call.cancelled = true;
			call.future.cancel(false);
		}
	}

	/** Called on a thread of the library, which must not block. */
	private void answered(Call call, @Nullable Object value, @Nullable Throwable failure) {
		if (this.jvm.crashed) {
			return;
		}
		HeldLock lock = (HeldLock) ((value instanceof Optional<?> optional) ? optional.orElse(null) : value);
		if (lock != null) {
			this.history.entered(call, lock);
			this.callers.onThread(this.callers.threadName("s"), () -> {
				this.sections.use(call, false);
				over(call);
			});
		}
		else {
			if (failure != null) {
				this.history.failed(call, (failure instanceof CompletionException && failure.getCause() != null)
						? failure.getCause() : failure);
			}
			else {
				this.history.ended(call, call.endWithoutLock(), null);
			}
			over(call);
		}
		this.callers.answered(call);
	}

	private void over(Call call) {
		call.over = true;
		if (this.thread != null && call.awaited) {
			this.world.scheduler.wake(this.thread);
		}
	}

	/** Hold several locks at once: all of them or none, in the order of their keys. */
	private void callForSeveral(Random dice) throws InterruptedException {
		List<Call> entered = new ArrayList<>();
		boolean all = true;
		int first = dice.nextInt(this.world.plan.keys() - 1);
		for (int key = first; all && key < this.world.plan.keys(); key++) {
			LockRequest request = randomRequest(dice, How.TRY, key).waitTime(Duration.ofMillis(dice.nextInt(300)));
			Call call = newCall(How.TRY, request, dice);
			all = enter(call);
			if (all) {
				entered.add(call);
			}
		}
		if (all) {
			if (dice.nextInt(3) == 0) {
				entered.forEach(this.sections::expire);
			}
			this.sections.stay(entered.get(0));
		}
		for (int i = entered.size() - 1; i >= 0; i--) {
			entered.get(i).abandoned = !all;
			this.sections.close(entered.get(i));
		}
	}

	@FunctionalInterface
	interface Work {

		void run() throws InterruptedException;

	}

}
