package io.github.distlock.test.audit;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.test.audit.AuditedLock.Lock;

/**
 * The locks that the application has. Thread-safe.
 *
 * @param places finds the code that acquires a lock
 * @param order gets what is acquired under other locks
 * @param shapes the known keys
 * @param open the locks that are neither released nor lost
 * @param lost the locks that are lost, which code that runs under them still counts with
 */
record AuditedLocks(CodePlaces places, LockOrder order, Supplier<KeyShapes> shapes, Set<AuditedLock> open,
		Set<AuditedLock> lost) implements LockListener {

	@Override
	public void onAttempted(Attempted event, LockRequest request) {
		if (event.outcome() == LockOutcome.ACQUIRED) {
			AuditedLock grant = grant(event.backend(), request.keyWithoutPrefix(), event.fencingToken(),
					request.mode() == LockMode.READ);
			boolean waits = request.waitTime() == null || !request.waitTime().isZero();
			if (waits && !grant.place().unguarded() && (grant.place().annotated() || !grant.place().test())) {
				this.order.acquired(grant, current());
			}
			this.open.add(grant);
		}
	}

	@Override
	public void onReleased(Released event) {
		end(event.key(), event.fencingToken(), (grant) -> grant.released().set(this.places.current()));
	}

	@Override
	public void onLost(Lost event) {
		end(event.key(), event.fencingToken(), this.lost::add);
	}

	/** The key of an event may have a prefix. */
	private void end(String key, long token, Consumer<AuditedLock> action) {
		for (AuditedLock grant : this.open) {
			if (grant.token() == token && key.endsWith(grant.key())) {
				action.accept(grant);
				this.open.remove(grant);
			}
		}
	}

	/**
	 * Return the locks under which the current code runs: those of its context, and those
	 * of this thread, which may be acquired by hand or kept for a transaction. What the
	 * transaction of a test keeps does not count: without the test it would be released.
	 * A method that has lost its lock has not forgotten it: the lock counts until it
	 * ends.
	 */
	Set<AuditedLock> current() {
		boolean test = CodePlaces.isInTransactionOfTest();
		Set<AuditedLock> current = new LinkedHashSet<>();
		LockContext.all().stream().filter((lock) -> !lock.isReleased()).forEach((lock) -> current.add(grant(lock)));
		this.open.stream()
			.filter((grant) -> grant.thread() == Thread.currentThread() && !grant.place().text().isEmpty())
			.filter((grant) -> !(test && grant.place().annotated()))
			.forEach(current::add);
		return current;
	}

	/** A lock without an event is of another registry, or of the test. */
	private AuditedLock grant(HeldLock lock) {
		return Stream.concat(this.open.stream(), this.lost.stream())
			.filter((grant) -> grant.key().equals(lock.key()) && grant.token() == lock.fencingToken())
			.findFirst()
			.orElseGet(() -> grant("", lock.key(), lock.fencingToken(), false));
	}

	private AuditedLock grant(String registry, String key, long token, boolean shared) {
		CodePlaces.CodePlace place = this.places.current();
		Lock lock = new Lock(registry, this.shapes.get().of(key, place.annotated()));
		return new AuditedLock(lock, key, token, shared, place, Thread.currentThread(), new AtomicBoolean(),
				new AtomicReference<>());
	}

}
