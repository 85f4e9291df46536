package io.github.distlock.lab.records;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
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

	/** A lock that lasts longer ends with its connection or its session. */
	private static final Duration LONGEST_LEASE = Duration.ofHours(1);

	private final InstantSource clock;

	private final @Nullable RecordFile file;

	private final AtomicLong sales;

	private final ThreadLocal<@Nullable Order> orders = new ThreadLocal<>();

	/** The locks of the sales that are open, by the number of the sale. */
	private final Map<Long, HeldLock> locks = new ConcurrentHashMap<>();

	private final Lock queueLock = new ReentrantLock();

	/** Callers of this node that wait for a lock. Guarded by {@code queueLock}. */
	private int waiting;

	/**
	 * Start to record.
	 * @param file where the records go, or {@code null} for none. Records of an earlier
	 * process of the same node sale in the file
	 * @param clock the clock of the machine
	 * @throws java.io.UncheckedIOException if the file cannot be written
	 */
	public StockRecords(@Nullable Path file, InstantSource clock) {
		this.clock = clock;
		this.file = (file != null) ? new RecordFile(file) : null;
		// No sale of an earlier process has the number of one of this process.
		this.sales = new AtomicLong((this.file != null) ? this.file.linesBefore() : 0);
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
	 * @return the sale between this read and its write
	 */
	public OpenSale read(String sku, String resource, long value) {
		RecordFile file = this.file;
		if (file == null) {
			return new OpenSale(null, this::now, 0, () -> {
			});
		}
		long at = now();
		long sale = this.sales.incrementAndGet();
		Order order = this.orders.get();
		ObjectNode fields = file.fields().put("stay", sale);
		if (order != null && order.number != null) {
			fields.put("order", order.number);
		}
		fields.put("sku", sku);
		if (order != null) {
			fields.put("strategy", order.strategy);
		}
		fields.put("resource", resource);
		if (order != null) {
			fields.put("arrived", order.arrived);
		}
		fields.put("value", value);
		Optional<HeldLock> lock = LockContext.current();
		lock.ifPresent((held) -> {
			fields.put("token", held.fencingToken());
			this.locks.put(sale, held);
		});
		Long lease = lock.map((held) -> leaseEnd(at, held.remaining())).orElse((order != null) ? order.lease : null);
		if (lease != null) {
			fields.put("lease", lease);
		}
		file.append("read", at, fields);
		return new OpenSale(file, this::now, sale, () -> this.locks.remove(sale));
	}

	/**
	 * Record that the order of this thread has acquired a lock that expires. The records
	 * of distlock's own locks need no such call.
	 * @param asked when the lock was asked for; the lease does not end earlier than this
	 * says
	 * @param lease how long it lasts
	 */
	public void leased(Instant asked, Duration lease) {
		Order order = this.orders.get();
		if (order != null) {
			order.lease = micros(asked) + lease.toNanos() / 1000;
		}
	}

	/**
	 * Record that leases of this node were renewed: those of the open sales, as far as
	 * they have new ends.
	 */
	public void renewed() {
		RecordFile file = this.file;
		if (file != null) {
			this.locks.forEach((sale, held) -> {
				long at = now();
				Long end = leaseEnd(at, held.remaining());
				if (end != null && held.isHeld()) {
					file.append("renewed", at, file.fields().put("stay", sale).put("lease", end));
				}
			});
		}
	}

	/**
	 * Record that a caller of this node begins to wait for a lock, or stops waiting.
	 * @param callers 1 or -1
	 */
	public void waiting(int callers) {
		RecordFile file = this.file;
		if (file != null) {
			this.queueLock.lock();
			try {
				this.waiting += callers;
				file.append("queue", now(), file.fields().put("waiting", this.waiting));
			}
			finally {
				this.queueLock.unlock();
			}
		}
	}

	private static @Nullable Long leaseEnd(long at, Duration remaining) {
		return (remaining.compareTo(LONGEST_LEASE) < 0) ? at + remaining.toNanos() / 1000 : null;
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
		return micros(this.clock.instant());
	}

	private static long micros(Instant time) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, time);
	}

	/**
	 * An order in progress, on the thread that serves it.
	 */
	private static final class Order {

		private final @Nullable Long number;

		private final String strategy;

		private final long arrived;

		/** When the lease of its lock ends, if the lock is made by hand and expires. */
		private @Nullable Long lease;

		Order(@Nullable Long number, String strategy, long arrived) {
			this.number = number;
			this.strategy = strategy;
			this.arrived = arrived;
		}

	}

}
