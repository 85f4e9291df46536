package io.github.distlock.sample.inventory;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import io.github.distlock.sample.lab.records.StockRecords;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The stock over HTTP.
 */
@RestController
@RequestMapping("/stock/{sku}")
class StockController {

	private final Map<String, StockService> strategies;

	private final List<ClearedByHand> abandoned;

	private final StockLedger ledger;

	private final StockRecords records;

	StockController(Map<String, StockService> strategies, List<ClearedByHand> abandoned, StockLedger ledger,
			StockRecords records) {
		this.strategies = strategies;
		this.abandoned = abandoned;
		this.ledger = ledger;
		this.records = records;
	}

	@PostMapping("/deduct")
	Deduction deduct(@PathVariable String sku, @RequestParam(defaultValue = "distributed-lock") String strategy,
			@RequestParam(required = false) @Nullable Long order) {
		StockService stock = this.strategies.get(strategy);
		if (stock == null) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "Strategy '%s' is unknown: use one of %s"
				.formatted(strategy, new TreeSet<>(this.strategies.keySet())));
		}
		return this.records.serve(order, strategy, () -> stock.deduct(sku));
	}

	@GetMapping
	StockLevel level(@PathVariable String sku) {
		return this.ledger.level(sku)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND,
					"Article '%s' has no stock: set it with PUT /stock/%s?quantity=…".formatted(sku, sku)));
	}

	@PutMapping
	StockLevel reset(@PathVariable String sku, @RequestParam long quantity) {
		this.abandoned.forEach((lock) -> lock.clear(sku));
		this.ledger.reset(sku, quantity);
		return level(sku);
	}

}
