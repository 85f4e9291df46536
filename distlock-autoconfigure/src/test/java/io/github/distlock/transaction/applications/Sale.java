package io.github.distlock.transaction.applications;

/**
 * A sale, and what happens during it.
 *
 * @param amount number of books
 * @param entered runs inside the lock and the transaction, before anything is read
 * @param read runs after the stock was read
 */
record Sale(int amount, Runnable entered, Runnable read) {

	private static final Runnable NOTHING = () -> {
	};

	static Sale of(int amount) {
		return new Sale(amount, NOTHING, NOTHING);
	}

	Sale whenEntered(Runnable action) {
		return new Sale(this.amount, action, this.read);
	}

	Sale whenRead(Runnable action) {
		return new Sale(this.amount, this.entered, action);
	}

}
