package io.github.distlock.docs.examples;

import java.math.BigDecimal;

/**
 * The receipt of a payment.
 *
 * @param id its number
 * @param amount what was paid
 */
public record Receipt(String id, BigDecimal amount) {

}
