package io.github.distlock.sample.lab.page;

import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * An order between reading the stock and writing it.
 *
 * @param node the inventory node
 * @param stay number of the stay on that node, unique in a run
 * @param order number of the order, or {@code null} if it has none
 * @param resource what the lock protects
 * @param arrived when the order came to the node
 * @param read when the stock had been read
 * @param value the stock that was read
 * @param token the fencing token of the lock, or {@code null}
 * @param end when the write was sent, or was refused, or the node crashed
 * @param written the stock that was written, or {@code null}
 * @param serial number of the unit sold, or {@code null}
 * @param state how far it is
 */
record Stay(String node, long stay, @Nullable Long order, String resource, long arrived, long read, long value,
		@Nullable Long token, @Nullable Long end, @Nullable Long written, @Nullable Long serial, State state) {

	Stay wrote(long at, @Nullable Long value, @Nullable Long number) {
		return end(at, value, number, State.WROTE);
	}

	Stay refused(long at) {
		return end(at, null, null, State.REFUSED);
	}

	Stay crashed(long at) {
		return end(at, null, null, State.CRASHED);
	}

	private Stay end(long at, @Nullable Long value, @Nullable Long number, State result) {
		return new Stay(this.node, this.stay, this.order, this.resource, this.arrived, this.read, this.value,
				this.token, at, value, number, result);
	}

	/**
	 * The states of a stay.
	 */
	enum State {

		/** The stock is not written yet. */
		OPEN,
		/** The stock was written. */
		WROTE,
		/** The database refused the write. */
		REFUSED,
		/** The node ended before it wrote. */
		CRASHED;

		@JsonValue
		String text() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
