package io.github.distlock.sample.lab.records;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Records what this node reads from the stock and writes to it, and the faults that
 * strike it. Without a file nothing is recorded. Safe for use by many threads; an order
 * is recorded on the thread that serves it.
 */
public final class StockRecords {

	private final Clock clock;

	private final @Nullable RecordFile file;

	private final AtomicLong stays;

	private final ThreadLocal<@Nullable Order> orders = new ThreadLocal<>();

	/**
	 * Start to record.
	 * @param file where the records go, or {@code null} for none. Records of an earlier
	 * process of the same node stay in the file
	 * @param clock the clock of the machine
	 * @throws java.io.UncheckedIOException if the file cannot be written
	 */
	public StockRecords(@Nullable Path file, Clock clock) {
		this.clock = clock;
		this.file = (file != null) ? new RecordFile(file) : null;
		// No stay of an earlier process has the number of one of this process.
		this.stays = new AtomicLong((this.file != null) ? this.file.linesBefore() : 0);
		if (this.file != null) {
			this.file.append("start", now(), this.file.fields().put("pid", ProcessHandle.current().pid()));
		}
	}

	/**
	 * Serve an order: what the work reads and writes is recorded as a part of it.
	 * @param <T> the type of the answer
	 * @param number the buyer's number of the order
	 * @param strategy how the stock is protected
	 * @param work serves the order on this thread
	 * @return the answer of the work
	 */
	public <T> T serve(@Nullable Long number, String strategy, Supplier<T> work) {
		if (this.file == null) {
			return work.get();
		}
		this.orders.set(new Order(number, strategy, now()));
		try {
			return work.get();
		}
		finally {
			this.orders.remove();
		}
	}

	/**
	 * Record that the stock of an article was read, and is about to be written. Call it
	 * after the read.
	 * @param sku the article
	 * @param resource what the lock protects: the article, or a part of its stock
	 * @param value the stock that was read
	 * @return the stay between this read and its write
	 */
	public Stay read(String sku, String resource, long value) {
		RecordFile file = this.file;
		if (file == null) {
			return Stay.UNRECORDED;
		}
		long at = now();
		long stay = this.stays.incrementAndGet();
		Order order = this.orders.get();
		ObjectNode fields = file.fields().put("stay", stay);
		if (order != null && order.number() != null) {
			fields.put("order", order.number());
		}
		fields.put("sku", sku);
		if (order != null) {
			fields.put("strategy", order.strategy());
		}
		fields.put("resource", resource);
		if (order != null) {
			fields.put("arrived", order.arrived());
		}
		fields.put("value", value);
		LockContext.current().map(HeldLock::fencingToken).ifPresent((token) -> fields.put("token", token));
		file.append("read", at, fields);
		return new RecordedStay(file, this::now, stay);
	}

	/**
	 * Record that a fault strikes. Call it before it strikes.
	 * @param fault which
	 * @param length how long it lasts, or {@code null} if that is not known
	 */
	public void fault(String fault, @Nullable Duration length) {
		if (this.file != null) {
			long at = now();
			ObjectNode fields = this.file.fields().put("fault", fault);
			if (length != null) {
				fields.put("until", at + length.toNanos() / 1000);
			}
			this.file.append("fault", at, fields);
		}
	}

	/**
	 * Record that a fault has ended.
	 * @param fault which
	 */
	public void faultEnd(String fault) {
		if (this.file != null) {
			this.file.append("fault-end", now(), this.file.fields().put("fault", fault));
		}
	}

	private long now() {
		return ChronoUnit.MICROS.between(Instant.EPOCH, this.clock.instant());
	}

	/**
	 * An order in progress.
	 *
	 * @param number the buyer's number, if the buyer gave one
	 * @param strategy how the stock is protected
	 * @param arrived when the order came to the node
	 */
	private record Order(@Nullable Long number, String strategy, long arrived) {

	}

}
