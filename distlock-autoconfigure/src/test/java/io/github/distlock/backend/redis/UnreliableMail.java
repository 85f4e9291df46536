package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Delivers messages of the server to JVMs: some late, in another order, or never.
 */
final class UnreliableMail {

	private static final int LATEST_MILLIS = 120;

	private final Random random;

	private final List<Letter> letters = new ArrayList<>();

	private boolean reliable;

	UnreliableMail(Random random) {
		this.random = random;
	}

	/** Return the messages that have arrived by now, delayed ones included. */
	List<String> due(List<FuzzInstance> instances) {
		for (FuzzInstance instance : instances) {
			for (String text : instance.messages()) {
				int fate = this.reliable ? 99 : this.random.nextInt(100);
				long delay = (fate < 25) ? 1000L * this.random.nextInt(LATEST_MILLIS) : 0;
				if (fate >= 8) {
					this.letters.add(new Letter(UnreliableScripts.nowMicros() + delay, instance, text));
				}
			}
		}
		long now = UnreliableScripts.nowMicros();
		List<Letter> due = this.letters.stream().filter((any) -> this.reliable || any.dueMicros <= now).toList();
		this.letters.removeAll(due);
		return due.stream().filter((any) -> any.instance.isAlive()).map(Letter::text).toList();
	}

	void becomeReliable() {
		this.reliable = true;
	}

	private record Letter(long dueMicros, FuzzInstance instance, String text) {
	}

}
