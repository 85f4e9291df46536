package io.github.distlock.docs.examples;

import java.math.BigDecimal;
import java.util.List;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.docs.examples.ExampleTypes.PaymentService;
import io.github.distlock.docs.examples.ExampleTypes.PriceService;
import io.github.distlock.docs.examples.ExampleTypes.ReportService;
import io.github.distlock.docs.examples.ExampleTypes.SearchIndex;
import io.github.distlock.docs.examples.ExampleTypes.SeatPlan;
import io.github.distlock.docs.examples.ExampleTypes.StockLedger;
import io.github.distlock.docs.examples.ExampleTypes.StockService;
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

}
