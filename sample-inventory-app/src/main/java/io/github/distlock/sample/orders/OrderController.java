package io.github.distlock.sample.orders;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClientException;

/**
 * Orders over HTTP.
 */
@RestController
class OrderController {

	private final Inventory inventory;

	OrderController(Inventory inventory) {
		this.inventory = inventory;
	}

	@PostMapping("/orders")
	Order order(@RequestParam(defaultValue = "ticket") String sku,
			@RequestParam(defaultValue = "distributed-lock") String strategy,
			@RequestParam(required = false) @Nullable Long order) {
		return this.inventory.sell(sku, strategy, order);
	}

	@ExceptionHandler
	ProblemDetail refused(HttpClientErrorException ex) {
		return ProblemDetail.forStatusAndDetail(ex.getStatusCode(), "Inventory: " + ex.getResponseBodyAsString());
	}

	@ExceptionHandler
	ProblemDetail blocked(HttpServerErrorException.ServiceUnavailable ex) {
		return ProblemDetail.forStatusAndDetail(ex.getStatusCode(), "Inventory: " + ex.getResponseBodyAsString());
	}

	@ExceptionHandler
	ProblemDetail failed(RestClientException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_GATEWAY, "Inventory: " + ex.getMessage());
	}

}
