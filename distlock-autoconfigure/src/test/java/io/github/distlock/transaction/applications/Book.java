package io.github.distlock.transaction.applications;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * A row of the stock.
 */
@Entity
class Book {

	@Id
	private long id;

	private int quantity;

	protected Book() {
	}

	int quantity() {
		return this.quantity;
	}

	void sell(int amount) {
		this.quantity -= amount;
	}

}
