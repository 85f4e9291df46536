package io.github.distlock.sample.strategies;

import java.util.Map;
import java.util.TreeSet;

import io.github.distlock.lab.records.StockRecords;
import io.github.distlock.sample.shop.StockRepository.Sale;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The shop's sale under a strategy that the caller chooses.
 */
@RestController
class StrategyController {

	private final Map<String, StockStrategy> strategies;

	private final StockRecords records;

	StrategyController(Map<String, StockStrategy> strategies, StockRecords records) {
		this.strategies = strategies;
		this.records = records;
	}

	@PostMapping(path = "/stock/{sku}/deduct", params = "strategy")
	Sale deduct(@PathVariable String sku, @RequestParam String strategy,
			@RequestParam(required = false) @Nullable Long order) {
		StockStrategy stock = this.strategies.get(strategy);
		if (stock == null) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "Strategy '%s' is unknown: use one of %s"
				.formatted(strategy, new TreeSet<>(this.strategies.keySet())));
		}
		return this.records.serve(order, strategy, () -> stock.sell(sku));
	}

}
