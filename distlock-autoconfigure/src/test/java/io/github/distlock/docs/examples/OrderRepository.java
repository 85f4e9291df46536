package io.github.distlock.docs.examples;

import java.util.List;
import java.util.Optional;

/**
 * Reads and writes orders.
 */
public interface OrderRepository {

	/** Find an order. */
	Optional<Order> find(String id);

	/** Find all orders that are not paid. */
	List<Order> findUnpaid();

	/** Write an order. */
	void save(Order order);

}
