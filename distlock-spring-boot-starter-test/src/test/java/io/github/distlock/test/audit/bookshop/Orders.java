package io.github.distlock.test.audit.bookshop;

import java.util.Objects;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Orders, and what follows from them.
 */
@Service
class Orders {

	private final Catalogue catalogue;

	private final JdbcTemplate jdbc;

	private final ApplicationEventPublisher events;

	private final TransactionTemplate transactions;

	private final LockRegistry locks;

	Orders(Catalogue catalogue, JdbcTemplate jdbc, ApplicationEventPublisher events, TransactionTemplate transactions,
			LockRegistry locks) {
		this.catalogue = catalogue;
		this.jdbc = jdbc;
		this.events = events;
		this.transactions = transactions;
		this.locks = locks;
	}

	@Transactional
	public long place(long book) {
		this.catalogue.take(book);
		GeneratedKeyHolder key = new GeneratedKeyHolder();
		this.jdbc.update((connection) -> {
			var statement = connection.prepareStatement("INSERT INTO customer_order (book_id, state) VALUES (?, 'NEW')",
					new String[] { "id" });
			statement.setLong(1, book);
			return statement;
		}, key);
		long id = Objects.requireNonNull(key.getKey()).longValue();
		this.events.publishEvent(new Placed(id));
		return id;
	}

	@DistributedLock(key = "'order-' + #id", name = "order")
	@Transactional
	public void ship(long id) {
		String state = this.jdbc.queryForObject("SELECT state FROM customer_order WHERE id = ?", String.class, id);
		if ("NEW".equals(state)) {
			this.jdbc.update("UPDATE customer_order SET state = 'SHIPPED' WHERE id = ?", id);
		}
	}

	void cancel(long id) throws Exception {
		this.locks.execute(LockRequest.of("order-" + id), () -> {
			this.transactions.executeWithoutResult((status) -> {
				Long book = this.jdbc.queryForObject("SELECT book_id FROM customer_order WHERE id = ?", Long.class, id);
				this.jdbc.update("UPDATE customer_order SET state = 'CANCELLED' WHERE id = ? AND state = 'NEW'", id);
				this.catalogue.deliver(Objects.requireNonNull(book), 1);
			});
			return true;
		});
	}

	@DistributedLock("'clean-up'")
	public void deleteOld() {
		this.jdbc.update("DELETE FROM customer_order WHERE state = 'CANCELLED'");
	}

	@TransactionalEventListener
	void confirm(Placed event) {
		this.transactions.executeWithoutResult(
				(status) -> this.jdbc.update("INSERT INTO mail (order_id, sent) VALUES (?, FALSE)", event.order()));
	}

	record Placed(long order) {
	}

}
