package io.github.distlock.docs;

import java.math.BigDecimal;
import java.util.List;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import jakarta.persistence.EntityManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The class around members and statements of the documentation. Its fields are the names
 * that examples use without declaring them. It is compiled and never created.
 */
@SuppressWarnings("NullAway.Init")
public abstract class Example {

	protected static final Logger log = LoggerFactory.getLogger(Example.class);

	protected LockRegistry registry;

	protected LockRegistry locks;

	protected LockRequest request;

	protected JdbcTemplate jdbc;

	protected StockService stock;

	protected StockLedger ledger;

	protected PaymentService payments;

	protected PriceService prices;

	protected SeatPlan seats;

	protected ReportService reports;

	protected SearchIndex index;

	protected EntityManager entities;

	protected String id;

	protected String sku;

	protected String account;

	protected String from;

	protected String to;

	protected int quantity;

	protected BigDecimal amount;

	protected List<String> ids;

	/** The answer of a language model. */
	public record Answer(String text) {

	}

	/** Sends messages to other services. */
	public interface Broker {

		void send(String message);

	}

	/** The messages that are to be sent, in the database of the application. */
	public interface Outbox {

		List<String> unsent();

		void markAsSent(String message);

	}

	/** Takes payments. */
	public interface PaymentService {

		Receipt pay(String order);

	}

	/** The price of an article. */
	public record Price(String sku, BigDecimal amount) {

	}

	/** Reads and publishes prices. */
	public interface PriceService {

		Price read(String sku);

		void publish();

	}

	/** The receipt of a payment. */
	public record Receipt(String id, BigDecimal amount) {

	}

	/** A report. */
	public record Report(String text) {

	}

	/** Creates reports. */
	public interface ReportService {

		Report create(String user);

	}

	/** The search index of each tenant. */
	public interface SearchIndex {

		void rebuild(String tenant);

	}

	/** The seats of all shows. */
	public interface SeatPlan {

		void reserve(String show, int seat);

	}

	/** The stock of an article. */
	public record Stock(String sku, int quantity) {

	}

	/** Reads and writes the stock. */
	public interface StockLedger {

		int quantity(String sku);

		void write(String sku, int quantity);

		boolean write(String sku, int quantity, long fencingToken);

	}

	/** Sells articles. */
	public interface StockService {

		void deduct(String sku);

		void deduct(String sku, int quantity);

		Stock read(String sku);

	}

	/** A warehouse. */
	public record Warehouse(String id) {

	}

}
