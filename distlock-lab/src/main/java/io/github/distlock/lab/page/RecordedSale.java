package io.github.distlock.lab.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A sale, from reading the stock to writing it. In JSON it is called a stay.
 *
 * @param node the inventory node
 * @param number number of the sale on that node, unique in a run
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
record RecordedSale(String node, @JsonProperty("stay") long number, @Nullable Long order, String resource, long arrived,
		long read, long value, @Nullable Long token, @Nullable Long lease, List<Renewal> renewals, @Nullable Long end,
		@Nullable Long written, @Nullable Long serial, State state) {

	RecordedSale wrote(long at, @Nullable Long value, @Nullable Long unit) {
		return end(at, value, unit, State.WROTE);
	}

	RecordedSale refused(long at) {
		return end(at, null, null, State.REFUSED);
	}

	RecordedSale crashed(long at) {
		return end(at, null, null, State.CRASHED);
	}

	private RecordedSale end(long at, @Nullable Long value, @Nullable Long unit, State result) {
		return new RecordedSale(this.node, this.number, this.order, this.resource, this.arrived, this.read, this.value,
				this.token, this.lease, this.renewals, at, value, unit, result);
	}

	RecordedSale renewed(long at, long end) {
		List<Renewal> all = new ArrayList<>(this.renewals);
		all.add(new Renewal(at, end));
		return new RecordedSale(this.node, this.number, this.order, this.resource, this.arrived, this.read, this.value,
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
	 * The states of a sale.
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
