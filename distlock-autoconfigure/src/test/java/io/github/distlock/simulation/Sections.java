package io.github.distlock.simulation;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.ControlledLock;

/**
 * What callers do under their locks: they hold them for some time, enter them again, and
 * close them in all ways that are allowed, and sometimes in one that is not.
 */
record Sections(World world, LockRegistry registry, History history, Callers callers) {

	/** The label of re-entries, about which listeners learn nothing. */
	static final String REENTRY = "re-entry";

	private static final long MILLI = 1_000_000;

	private static final long SECOND = 1000 * MILLI;

	/** How often a caller asks whether it still holds its lock. */
	private static final int LOOKS = 3;

	private static final long LONG_STAY = Duration.ofSeconds(5).toNanos();

	/** How long a lock is held: usually not long, and sometimes longer than its lease. */
	void stay(Call call) {
		Random dice = call.dice;
		Duration explicit = call.request.leaseTime();
		Duration lease = (explicit != null) ? explicit : this.world.plan.leaseTime();
		int kind = dice.nextInt(100);
		long nanos;
		if (explicit != null && explicit.compareTo(Caller.LASTING) < 0 && dice.nextInt(6) == 0) {
			nanos = lease.toNanos() + dice.nextInt(30_000_000);
		}
		else if (kind == 0 || (explicit == null && kind < 30 && this.history.rules.isDisturbed(call.place))) {
			// The watchdog has to renew it, or has to notice that it cannot.
			long longest = (dice.nextInt(4) == 0) ? lease.toNanos() : Math.min(lease.toNanos(), LONG_STAY);
			nanos = longest * (9 + dice.nextInt(8)) / 10;
		}
		else if (kind < 4) {
			nanos = dice.nextInt(300) * MILLI;
		}
		else {
			nanos = dice.nextInt((kind < 18) ? 30_000_000 : 3_000_000);
		}
		for (int i = 0; i < LOOKS; i++) {
			this.world.scheduler.sleep(nanos / LOOKS);
			this.history.rules.looked(call);
		}
		if (call.foundLost && this.world.plan.isWatched() && dice.nextInt(4) == 0) {
			// It does not look, so that the loss has to be reported.
			this.world.scheduler.sleep(2 * SECOND);
		}
	}

	HeldLock reenter(Call call, LockRequest request) {
		call.reentering = true;
		try {
			return this.registry.acquire(request.name(REENTRY).waitTime(Duration.ZERO));
		}
		finally {
			call.reentering = false;
		}
	}

	void expire(Call call) {
		HeldLock lock = call.lock;
		if (lock != null && call.request.minHold() == null) {
			try {
				call.limited = true;
				call.changed = true;
				ControlledLock.expireAfter(lock, this.world.plan.leaseTime());
			}
			catch (LockLostException ex) {
				this.history.noticedLoss(call);
			}
			catch (SimulatedError ex) {
				// Of its timer: the sweep takes its place.
				this.world.trace(call.label, "gets no timer");
			}
		}
	}

	/** Work under a lock, and close it. */
	void use(Call call, boolean owning) {
		Random dice = call.dice;
		stay(call);
		if (dice.nextInt(6) == 0) {
			HeldLock lock = call.lock;
			if (lock != null && !lock.confirmHeld()) {
				this.history.noticedLoss(call);
			}
		}
		if (owning && dice.nextInt((call.request.mode() == LockMode.WRITE) ? 2 : 6) == 0
				&& !this.history.hasRestarted(call)) {
			workAgain(call);
		}
		if (owning && call.view == null && dice.nextInt(12) == 0) {
			boolean[] closed = new boolean[1];
			SimulatedThread owner = this.world.scheduler.current();
			this.callers.onThread(this.callers.threadName("closer"), () -> {
				close(call);
				closed[0] = true;
				this.world.scheduler.wake(owner);
			});
			while (!closed[0]) {
				this.world.scheduler.block(-1);
			}
		}
		else {
			call.abandoned = call.view == null && dice.nextInt(15) == 0;
			close(call);
		}
		if (dice.nextInt(10) == 0) {
			mustNotUnlock(call.key(), () -> release(call));
		}
		if (dice.nextInt(20) == 0) {
			mustNotUnlock(call.key(), () -> this.registry.obtain(call.key()).unlock());
		}
	}

	private void mustNotUnlock(String key, Runnable unlock) {
		try {
			unlock.run();
			this.world.violation("S6",
					this.world.scheduler.current() + " has unlocked " + key + ", which it did not hold");
		}
		catch (IllegalMonitorStateException ex) {
			// As it must.
		}
	}

	void close(Call call) {
		this.history.leaving(call);
		try {
			release(call);
			this.history.left(call, null);
		}
		catch (LockLostException | IllegalMonitorStateException | SimulatedError ex) {
			this.history.left(call, ex);
		}
	}

	private static void release(Call call) {
		HeldLock lock = call.lock;
		Lock view = call.view;
		try {
			if (lock != null && call.abandoned) {
				ControlledLock.abandon(lock);
			}
			else if (lock != null) {
				lock.close();
			}
		}
		finally {
			if (view != null) {
				view.unlock();
			}
		}
	}

	/** Enter the same key again, in any mode. */
	private void workAgain(Call call) {
		LockMode mode = call.dice.nextBoolean() ? LockMode.READ
				: LockMode.values()[call.dice.nextInt(LockMode.values().length)];
		HeldLock inner;
		try {
			boolean limited = mode == LockMode.READ && this.world.plan.permits() > 0;
			LockRequest again = LockRequest.of(call.key());
			inner = reenter(call, limited ? again.permits(1 + call.dice.nextInt(5)) : again.mode(mode));
		}
		catch (LockDefinitionException ex) {
			if (!call.reads() || mode == LockMode.READ) {
				this.world.violation("contract", call + " was refused its re-entry in mode " + mode);
			}
			return;
		}
		catch (LockException | SimulatedError ex) {
			if (ex instanceof LockLostException) {
				this.history.noticedLoss(call);
			}
			else if (!this.history.hasRestarted(call)) {
				this.world.violation("contract", call + " could not enter again: " + ex.getClass().getSimpleName());
			}
			return;
		}
		this.history.reentered(call, inner);
		stay(call);
		HeldLock outer = call.lock;
		if (outer != null && call.dice.nextBoolean()) {
			// It closes the outer level first.
			call.lock = inner;
			closeLevel(call, outer);
			stay(call);
		}
		else {
			closeLevel(call, inner);
		}
	}

	private void closeLevel(Call call, HeldLock level) {
		try {
			level.close();
		}
		catch (LockLostException ex) {
			this.history.noticedLoss(call);
		}
		catch (SimulatedError ex) {
			// The rest is closed later.
			this.world.trace(call.label, "closes a level: " + ex);
		}
	}

}
