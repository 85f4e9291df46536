package io.github.distlock.sample.lab.records;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A stay whose end goes to a file. The end of the stay is the time before the write is
 * sent: the next holder cannot have read the stock earlier, however long the answer of
 * the database takes.
 */
final class RecordedStay implements Stay {

	private final RecordFile file;

	private final LongSupplier clock;

	private final long number;

	private final Runnable atEnd;

	/**
	 * Begin a stay.
	 * @param file where its end goes
	 * @param clock microseconds since 1970
	 * @param number number of the stay
	 * @param atEnd called when it has written or was refused
	 */
	RecordedStay(RecordFile file, LongSupplier clock, long number, Runnable atEnd) {
		this.file = file;
		this.clock = clock;
		this.number = number;
		this.atEnd = atEnd;
	}

	@Override
	public boolean write(long value, long serial, BooleanSupplier write) {
		long at = this.clock.getAsLong();
		boolean written = false;
		this.atEnd.run();
		try {
			written = write.getAsBoolean();
		}
		finally {
			if (!written) {
				refused();
			}
		}
		if (written && TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new AtCompletion(at, value, serial));
		}
		else if (written) {
			wrote(at, value, serial);
		}
		return written;
	}

	private void wrote(long at, long value, long serial) {
		this.file.append("wrote", at,
				this.file.fields().put("stay", this.number).put("value", value).put("serial", serial));
	}

	private void refused() {
		this.file.append("refused", this.clock.getAsLong(), this.file.fields().put("stay", this.number));
	}

	/** Records the end when the transaction has ended. */
	private final class AtCompletion implements TransactionSynchronization {

		private final long at;

		private final long value;

		private final long serial;

		AtCompletion(long at, long value, long serial) {
			this.at = at;
			this.value = value;
			this.serial = serial;
		}

		@Override
		public void afterCompletion(int status) {
			if (status == STATUS_COMMITTED) {
				wrote(this.at, this.value, this.serial);
			}
			else if (status == STATUS_ROLLED_BACK) {
				refused();
			}
			// Else it is not known: the stay has no end.
		}

	}

}
