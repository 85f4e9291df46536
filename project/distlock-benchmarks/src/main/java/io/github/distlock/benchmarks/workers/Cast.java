package io.github.distlock.benchmarks.workers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.StoreAddress;

/**
 * The clients that a worker plays, and what they have opened so far.
 */
final class Cast {

	private final StoreAddress store;

	private final List<Client> clients = new ArrayList<>();

	private final Map<String, List<Locks>> opened = new HashMap<>();

	Cast(StoreAddress store) {
		this.store = store;
	}

	/** Return the first client. */
	Client client() {
		if (this.clients.isEmpty()) {
			this.clients.add(new Client(this.store));
		}
		return this.clients.get(0);
	}

	/**
	 * Return the locks of a contender, opened if need be.
	 * @param contender which
	 * @param count how many clients
	 * @return one for each client
	 */
	List<Locks> locks(String contender, int count) {
		while (this.clients.size() < count) {
			this.clients.add(new Client(this.store));
		}
		List<Locks> locks = this.opened.computeIfAbsent(contender, (id) -> new ArrayList<>());
		while (locks.size() < count) {
			locks.add(Contenders.named(contender).open(this.clients.get(locks.size())));
		}
		return locks.subList(0, count);
	}

}
