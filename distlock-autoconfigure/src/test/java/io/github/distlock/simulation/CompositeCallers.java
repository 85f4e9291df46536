package io.github.distlock.simulation;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.simulation.SecondServer.Section;
import org.jspecify.annotations.Nullable;

/**
 * Callers of one JVM that take each lock in two servers at once. Their keys are their
 * own, so {@link SecondServer} judges them, and not {@link History}. Some calls take a
 * lock in one of the servers only, so that the others wait there.
 */
final class CompositeCallers {

	/** What the keys begin with. */
	static final String KEY = "both";

	private static final int CALLERS = 2;

	private static final int CALLS = 12;

	private static final long MILLI = 1_000_000;

	private static final long POLL_NANOS = 5 * MILLI;

	private final World world;

	private final SimulatedJvm jvm;

	private final Callers callers;

	private final LockRegistry first;

	private final LockRegistry second;

	private final LockRegistry both;

	private final SecondServer server;

	private final Random random;

	private int calls;

	CompositeCallers(World world, SimulatedJvm jvm, Callers callers, LockRegistry first, LockRegistry second,
			LockRegistry both, SecondServer server, Random random) {
		this.world = world;
		this.jvm = jvm;
		this.callers = callers;
		this.first = first;
		this.second = second;
		this.both = both;
		this.server = server;
		this.random = random;
	}

	void start() {
		for (int i = 0; i < CALLERS; i++) {
			Random dice = new Random(this.random.nextLong());
			this.callers.onThread(this.callers.threadName(KEY), () -> run(dice));
		}
	}

	private void run(Random dice) {
		for (int i = 0; i < CALLS; i++) {
			call(dice, dice.nextInt(2), dice.nextInt(7));
			this.world.scheduler.sleep(dice.nextInt(20) * dice.nextInt(20) * MILLI);
		}
	}

	/** Make a call of some kind, and hold its lock. */
	private void call(Random dice, int key, int kind) {
		String label = this.jvm + "/" + KEY + "#" + ++this.calls;
		LockRequest request = request(dice, key).name(label);
		this.world.trace(label, "calls for " + request.key() + " wait " + request.waitTime() + ", kind " + kind);
		boolean[] answered = new boolean[1];
		if (dice.nextInt(8) == 0) {
			SimulatedThread thread = this.world.scheduler.current();
			this.world.scheduler.after(dice.nextInt(60) * MILLI, () -> {
				if (!answered[0] && this.jvm.runs()) {
					this.world.scheduler.interrupt(thread);
				}
			});
		}
		try {
			switch (kind) {
				case 0 -> use(label, this.both.acquire(request), dice, answered);
				case 1 -> this.both.tryAcquire(request).ifPresent((lock) -> use(label, lock, dice, answered));
				case 2 -> view(label, request, dice, answered);
				case 3 -> execute(this.both, label, request, dice, answered);
				case 4 -> execute(dice.nextBoolean() ? this.first : this.second, label, request, dice, answered);
				case 5 -> async(this.both.acquireAsync(request), label, dice);
				default -> async(this.both.tryAcquireAsync(request), label, dice);
			}
		}
		catch (Exception | SimulatedError ex) {
			failed(label, ex);
		}
		answered[0] = true;
		Thread.interrupted();
	}

	private LockRequest request(Random dice, int key) {
		LockRequest request = LockRequest.of(KEY + key).waitTime(switch (dice.nextInt(8)) {
			case 0 -> Duration.ZERO;
			case 1 -> LockRequest.FOREVER;
			default -> Duration.ofMillis(1 + dice.nextInt(3000));
		});
		return switch (dice.nextInt(8)) {
			case 0 -> request.leaseTime(Duration.ofMillis(100 + dice.nextInt(300)));
			case 1 -> request.minHold(Duration.ofMillis(1 + dice.nextInt(100)));
			case 2 -> request.fair(true);
			default -> request;
		};
	}

	private void failed(String label, Throwable failure) {
		Throwable ex = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		this.world.trace(label, "fails: " + ex.getClass().getSimpleName());
		if (!(ex instanceof LockException || ex instanceof InterruptedException || ex instanceof SimulatedError
				|| ex instanceof CancellationException)) {
			this.world.violation("contract", label + " threw " + World.describe(ex));
		}
	}

	private void use(String label, HeldLock lock, Random dice, boolean[] answered) {
		answered[0] = true;
		Section section = work(label, lock, this.both, dice);
		this.server.leaving(section);
		if (dice.nextInt(12) == 0) {
			lock.abandon();
		}
		else {
			lock.close();
		}
		if (lock.isHeld() || !lock.isReleased()) {
			this.world.violation("contract", section + " was closed, and is not released: " + lock.lossCause());
		}
	}

	/** Hold a lock, and sometimes call for the other key, in any order. */
	private Section work(String label, HeldLock lock, LockRegistry registry, Random dice) {
		Section section = new Section(this.jvm, label, lock, registry != this.second, registry != this.first);
		this.server.entered(section);
		lock.onLost(() -> {
			if (++section.losses > 1) {
				this.world.violation("listener", section + " was told of its loss twice");
			}
		});
		this.world.scheduler.sleep(dice.nextInt((dice.nextInt(5) == 0) ? 600 : 30) * MILLI);
		int next = dice.nextInt(8);
		if (next < 2 && registry == this.both && !label.endsWith("'")) {
			LockRequest other = LockRequest.of(KEY + (lock.key().endsWith("0") ? 1 : 0)).name(label);
			try {
				this.both.tryAcquire(other.waitTime(Duration.ofMillis(dice.nextInt(2000))))
					.ifPresent((inner) -> use(label + "'", inner, new Random(dice.nextLong()), new boolean[1]));
			}
			catch (LockException | SimulatedError ex) {
				failed(label + "'", ex);
			}
		}
		else if (next == 2) {
			boolean held = lock.confirmHeld() && !lock.remaining().isZero();
			this.world.trace(label, "confirms: " + held + " " + lock.isSessionBound() + " " + lock.lossCause());
		}
		else if (next == 3) {
			try {
				lock.expireAfter(Duration.ofMillis(100 + dice.nextInt(1000)));
			}
			catch (LockException ex) {
				failed(label, ex);
			}
		}
		return section;
	}

	private void view(String label, LockRequest request, Random dice, boolean[] answered) throws InterruptedException {
		Lock view = this.both.obtain(request.key());
		Duration wait = request.waitTime();
		if (wait == null || wait.isNegative()) {
			if (dice.nextBoolean()) {
				view.lock();
			}
			else {
				view.lockInterruptibly();
			}
		}
		else if (!(wait.isZero() ? view.tryLock() : view.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS))) {
			return;
		}
		answered[0] = true;
		try {
			// Provides what the view hides.
			use(label, this.both.acquire(LockRequest.of(request.key()).name(label).waitTime(Duration.ZERO)), dice,
					answered);
		}
		finally {
			view.unlock();
		}
		if (dice.nextInt(3) == 0) {
			try {
				view.unlock();
				this.world.violation("S6", label + " has unlocked " + request.key() + " twice");
			}
			catch (IllegalMonitorStateException ex) {
				// As it must.
			}
		}
	}

	private void execute(LockRegistry registry, String label, LockRequest request, Random dice, boolean[] answered)
			throws Exception {
		registry.execute(request, () -> {
			answered[0] = true;
			Section section = work(label, LockContext.current().orElseThrow(), registry, dice);
			this.server.leaving(section);
			return section;
		});
	}

	/** Wait for an asynchronous call, and sometimes cancel it. */
	private void async(CompletableFuture<?> future, String label, Random dice) {
		boolean[] over = new boolean[1];
		future.whenComplete((value, failure) -> answered(value, failure, label, new Random(dice.nextLong()), over));
		if (dice.nextInt(3) == 0) {
			this.world.scheduler.sleep(dice.nextInt(10) * dice.nextInt(20) * MILLI);
			future.cancel(false);
		}
		while (!over[0]) {
			this.world.scheduler.sleep(POLL_NANOS);
		}
	}

	/** Called on a thread of the library, which must not block. */
	private void answered(@Nullable Object value, @Nullable Throwable failure, String label, Random dice,
			boolean[] over) {
		HeldLock lock = (HeldLock) ((value instanceof Optional<?> optional) ? optional.orElse(null) : value);
		if (failure != null) {
			failed(label, failure);
		}
		if (lock == null) {
			over[0] = true;
			return;
		}
		this.callers.onThread(this.callers.threadName(KEY), () -> {
			try {
				use(label, lock, dice, new boolean[1]);
			}
			catch (LockLostException | SimulatedError ex) {
				failed(label, ex);
			}
			finally {
				over[0] = true;
			}
		});
	}

}
