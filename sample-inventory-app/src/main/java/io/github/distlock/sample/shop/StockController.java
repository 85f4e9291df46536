package io.github.distlock.sample.shop;

import io.github.distlock.sample.shop.StockRepository.Level;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.context.annotation.Profile;
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
@Profile("!orders")
class StockController {

	private final StockService service;

	private final StockRepository stock;

	StockController(StockService service, StockRepository stock) {
		this.service = service;
		this.stock = stock;
	}

	@PostMapping("/deduct")
	Sale deduct(@PathVariable String sku) {
		return this.service.sell(sku);
	}

	@GetMapping
	Level level(@PathVariable String sku) {
		return this.stock.level(sku)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND,
					"Article '%s' has no stock: set it with PUT /stock/%s?quantity=…".formatted(sku, sku)));
	}

	@PutMapping
	Level reset(@PathVariable String sku, @RequestParam long quantity) {
		this.stock.reset(sku, quantity);
		return level(sku);
	}

}
