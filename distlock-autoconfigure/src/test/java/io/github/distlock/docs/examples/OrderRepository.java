package io.github.distlock.docs.examples;

import java.util.Optional;

/**
 * Reads and writes orders.
 */
public interface OrderRepository {

	/** Find an order. */
	Optional<Order> find(String id);

	/** Write an order. */
	void save(Order order);

}
