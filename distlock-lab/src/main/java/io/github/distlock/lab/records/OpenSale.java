package io.github.distlock.lab.records;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A sale that has read the stock and not yet written it back. Under a correct lock, two
 * sales that wrote never overlap.
 * <p>
 * The sale ends at the time before the write is sent: the next holder cannot have read
 * the stock earlier, however long the answer of the database takes.
 */
public final class OpenSale {

	private final @Nullable RecordFile file;

	private final LongSupplier clock;

	private final long number;

	private final Runnable atEnd;

	/**
	 * Begin a sale.
	 * @param file where its end goes, or {@code null} if nothing is recorded
	 * @param clock microseconds since 1970
	 * @param number number of the sale
	 * @param atEnd called when it has written or was refused
	 */
	OpenSale(@Nullable RecordFile file, LongSupplier clock, long number, Runnable atEnd) {
		this.file = file;
		this.clock = clock;
		this.number = number;
		this.atEnd = atEnd;
	}

	/**
	 * Write the stock, and record what became of it: written, or refused. Inside a
	 * transaction that is known, and recorded, at its end.
	 * @param value the stock to be written
	 * @param serial the number of the sold unit
	 * @param write writes; {@code false} if the database refused it
	 * @return what {@code write} returned
	 */
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
		if (this.file != null) {
			this.file.append("wrote", at,
					this.file.fields().put("stay", this.number).put("value", value).put("serial", serial));
		}
	}

	private void refused() {
		if (this.file != null) {
			this.file.append("refused", this.clock.getAsLong(), this.file.fields().put("stay", this.number));
		}
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
			// Else it is not known: the sale has no end.
		}

	}

}
