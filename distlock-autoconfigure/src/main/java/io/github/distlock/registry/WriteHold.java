package io.github.distlock.registry;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;

import io.github.distlock.LockMode;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.Holder;
import org.jspecify.annotations.Nullable;

/**
 * The stay of one who asked for {@code WRITE}. When the last level that writes is left
 * and others read, it goes on under a lease of its own as a reader: a downgrade. One
 * caller makes it; who leaves meanwhile leaves what is to be done to that one.
 */
final class WriteHold extends Hold {

	private static final AtomicReferenceFieldUpdater<WriteHold, Levels> OPEN = AtomicReferenceFieldUpdater
		.newUpdater(WriteHold.class, Levels.class, "open");

	/** At nothing it never rises again. */
	private volatile Levels open = new Levels(1, 0, false);

	/** Counts once this lease is continued: see {@link #current()}. */
	private volatile @Nullable Hold reader;

	WriteHold(Owner owner, String name, Holder holder, LeaseTerms terms, TimeSource clock, @Nullable Thread thread,
			boolean endsWithThread) {
		super(owner, name, holder, terms, clock, thread, endsWithThread);
	}

	@Override
	Hold current() {
		Hold reading = isContinued() ? this.reader : null;
		return (reading != null) ? reading : this;
	}

	/**
	 * While it is downgraded it is held, in one way or the other, as long as the writer's
	 * grant counts.
	 */
	@Override
	long remainingLockNanos() {
		Hold now = current();
		long left = now.remainingNanos();
		if (now == this && left <= 0 && this.open.downgrading()) {
			left = remainingAfterEnd();
		}
		if (left > 0) {
			return left;
		}
		// It may have been downgraded between these looks.
		Hold later = current();
		return (later != now) ? later.remainingNanos() : 0;
	}

	@Override
	boolean isEnteredOnce() {
		return this.open.isOne();
	}

	@Override
	int levels() {
		Levels now = this.open;
		return now.writing() + now.reading();
	}

	@Override
	LockMode mode() {
		return LockMode.WRITE;
	}

	@Override
	boolean isOver() {
		return this.open.isNone();
	}

	@Override
	boolean reenter(LockMode mode) {
		Levels before = change((levels) -> levels.allow(mode) ? levels.with(mode) : levels);
		if (!before.isNone() && !before.allow(mode)) {
			throw upgrade(mode);
		}
		return !before.isNone();
	}

	@Override
	OpenLevels leave(LockMode mode) {
		Levels before = change((levels) -> levels.without(mode));
		Levels after = before.without(mode);
		if (before.downgrading()) {
			return OpenLevels.SOME;
		}
		return after.downgrading() ? OpenLevels.READERS : (after.isNone() ? OpenLevels.NOTHING : OpenLevels.SOME);
	}

	/**
	 * Go on as a reader.
	 * @param reading how the lock is held from now on
	 * @return whether no query has found in the meantime that the lock is not held
	 */
	boolean continueAs(Hold reading) {
		this.reader = reading;
		return continueElsewhere();
	}

	/**
	 * The downgrade has ended, well or not.
	 * @return whether all levels have been left meanwhile, and the caller ends the stay
	 */
	boolean downgraded() {
		return change(Levels::settled).isNone();
	}

	private Levels change(UnaryOperator<Levels> step) {
		return OPEN.getAndUpdate(this, step);
	}

	/**
	 * How many acquisitions are open.
	 *
	 * @param writing those that exclude readers
	 * @param reading the others
	 * @param downgrading whether one caller is making this a reader's stay
	 */
	private record Levels(int writing, int reading, boolean downgrading) {

		boolean isNone() {
			return this.writing + this.reading == 0;
		}

		boolean isOne() {
			return this.writing + this.reading == 1;
		}

		/** Whether one more may be opened: who only reads must not write. */
		boolean allow(LockMode mode) {
			return this.writing > 0 || (this.reading > 0 && mode == LockMode.READ);
		}

		Levels with(LockMode mode) {
			return (mode == LockMode.READ) ? new Levels(this.writing, this.reading + 1, this.downgrading)
					: new Levels(this.writing + 1, this.reading, this.downgrading);
		}

		Levels without(LockMode mode) {
			if (mode == LockMode.READ) {
				return new Levels(this.writing, this.reading - 1, this.downgrading);
			}
			return new Levels(this.writing - 1, this.reading,
					this.downgrading || (this.writing == 1 && this.reading > 0));
		}

		Levels settled() {
			return new Levels(this.writing, this.reading, false);
		}

	}

	/**
	 * The lease of a writer who went on as a reader. The stay is still the writer's.
	 */
	static final class ReaderHold extends Hold {

		private final WriteHold writer;

		ReaderHold(WriteHold writer, Holder holder, LeaseTerms terms, TimeSource clock) {
			super(writer.owner(), writer.name(), holder, terms, clock, writer.thread(), writer.endsWithThread());
			this.writer = writer;
		}

		@Override
		Hold origin() {
			return this.writer;
		}

	}

}
