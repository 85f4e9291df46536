package io.github.distlock.registry;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;

import io.github.distlock.LockMode;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.Holder;
import org.jspecify.annotations.Nullable;

/**
 * A lock held in mode {@code WRITE}. When the last writing level is left while others
 * read, the hold is downgraded: it continues as a reader under a lease of its own. One
 * thread performs the downgrade. Concurrent closes only update the levels, which that
 * thread reads again.
 */
final class WriteHold extends Hold {

	private static final AtomicReferenceFieldUpdater<WriteHold, Levels> OPEN = AtomicReferenceFieldUpdater
		.newUpdater(WriteHold.class, Levels.class, "open");

	/** Never changes again after all levels were left. */
	private volatile Levels open = new Levels(1, 0, false);

	/** The hold that counts once this lease is continued: see {@link #current()}. */
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
	 * During the downgrade the lock is held, in one mode or the other, for as long as the
	 * grant of the writer counts.
	 */
	@Override
	long remainingLockNanos() {
		Hold first = current();
		long left = first.remainingNanos();
		if (first == this && left <= 0 && this.open.downgrading()) {
			left = remainingAfterEnd();
		}
		if (left > 0) {
			return left;
		}
		// The downgrade may have happened between the two reads.
		Hold later = current();
		return (later != first) ? later.remainingNanos() : 0;
	}

	@Override
	boolean hasOneLevel() {
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
		Levels before = change((levels) -> levels.allows(mode) ? levels.with(mode) : levels);
		if (!before.isNone() && !before.allows(mode)) {
			throw upgradeRefused(mode);
		}
		return !before.isNone();
	}

	@Override
	OpenLevels leaveLevel(LockMode mode) {
		Levels before = change((levels) -> levels.without(mode));
		Levels after = before.without(mode);
		if (before.downgrading()) {
			return OpenLevels.SOME;
		}
		return after.downgrading() ? OpenLevels.READERS : (after.isNone() ? OpenLevels.NONE : OpenLevels.SOME);
	}

	/**
	 * Continue as a reader.
	 * @param reading the hold under the lease of the reader
	 * @return whether no query has found in the meantime that the lock is not held
	 */
	boolean continueAs(Hold reading) {
		this.reader = reading;
		return continueElsewhere();
	}

	/**
	 * End the downgrade, whether it succeeded or not.
	 * @return whether all levels were left in the meantime, so that the caller ends the
	 * hold
	 */
	boolean endDowngrade() {
		return change(Levels::withoutDowngrade).isNone();
	}

	private Levels change(UnaryOperator<Levels> change) {
		return OPEN.getAndUpdate(this, change);
	}

	/**
	 * How many acquisitions are open.
	 *
	 * @param writing how many exclude readers
	 * @param reading how many only read
	 * @param downgrading whether a thread performs a downgrade
	 */
	private record Levels(int writing, int reading, boolean downgrading) {

		boolean isNone() {
			return this.writing + this.reading == 0;
		}

		boolean isOne() {
			return this.writing + this.reading == 1;
		}

		/** Return whether a level may be added: a reader must not write. */
		boolean allows(LockMode mode) {
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

		Levels withoutDowngrade() {
			return new Levels(this.writing, this.reading, false);
		}

	}

	/**
	 * The lease of a writer that continues as a reader. The levels remain in the writer's
	 * hold.
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
