package io.github.distlock.docs.examples;

import java.math.BigDecimal;

/**
 * Takes payments.
 */
public interface PaymentService {

	/** Pay an order. */
	Receipt pay(String order);

	/** Transfer an amount from one account to another one. */
	void transfer(String from, String to, BigDecimal amount);

}
