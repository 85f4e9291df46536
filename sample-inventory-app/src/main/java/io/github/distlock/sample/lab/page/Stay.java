package io.github.distlock.sample.lab.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonInclude;
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
 * @param lease when the lease of the lock ends, as the node knew it at the read, or
 * {@code null} if it has none
 * @param renewals how the lease was renewed meanwhile
 * @param end when the write was sent, or was refused, or the node crashed
 * @param written the stock that was written, or {@code null}
 * @param serial number of the unit sold, or {@code null}
 * @param state how far it is
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
record Stay(String node, long stay, @Nullable Long order, String resource, long arrived, long read, long value,
		@Nullable Long token, @Nullable Long lease, List<Renewal> renewals, @Nullable Long end, @Nullable Long written,
		@Nullable Long serial, State state) {

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
				this.token, this.lease, this.renewals, at, value, number, result);
	}

	Stay renewed(long at, long end) {
		List<Renewal> all = new ArrayList<>(this.renewals);
		all.add(new Renewal(at, end));
		return new Stay(this.node, this.stay, this.order, this.resource, this.arrived, this.read, this.value,
				this.token, this.lease, all, this.end, this.written, this.serial, this.state);
	}

	/**
	 * A renewal of the lease.
	 *
	 * @param at when it was known
	 * @param lease when the lease ends from then on
	 */
	record Renewal(long at, long lease) {
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
