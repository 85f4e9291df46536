package io.github.distlock.transaction.applications;

/**
 * What a till does, and what happens meanwhile.
 *
 * @param amount how many are sold
 * @param entered runs inside the lock and the transaction, before anything is read
 * @param read runs when the stock was read
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
