package io.github.distlock.backend.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The masters of a cluster that let a renewal wait. Each is asked by one batch at a time
 * from then on, for which nobody waits, until it answers: so it costs the leases on the
 * other masters nothing, and those on it no second after it has come back. Thread-safe.
 */
final class SilentMasters {

	private final Set<String> silent = ConcurrentHashMap.newKeySet();

	/** Those of them that have been asked and have not answered. */
	private final Set<String> asked = ConcurrentHashMap.newKeySet();

	boolean isSilent(String master) {
		return this.silent.contains(master);
	}

	/** Whether a renewal may be sent, of which {@link #ended} will be told. */
	boolean mayAsk(String master) {
		return !isSilent(master) || this.asked.add(master);
	}

	/** What it was asked has taken too long, and goes on. */
	void late(String master) {
		this.asked.add(master);
		this.silent.add(master);
	}

	/** What it was asked has come to an end. */
	void ended(String master, boolean answered) {
		if (answered) {
			this.silent.remove(master);
		}
		this.asked.remove(master);
	}

}
