package io.github.distlock.docs.examples;

import java.math.BigDecimal;
import java.util.List;

/**
 * Types that examples use without declaring them.
 */
public final class ExampleTypes {

	private ExampleTypes() {
	}

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

		void transfer(String from, String to, BigDecimal amount);

	}

	/** The price of an article. */
	public record Price(String sku, BigDecimal amount) {

	}

	/** Reads and writes prices. */
	public interface PriceService {

		Price read(String sku);

		void write(String sku, BigDecimal amount);

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
