package io.github.distlock.benchmarks.contenders;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What one application process has: connections and instances of its own, opened when
 * first asked for. A JVM may host several clients; they share nothing.
 */
public final class Client implements AutoCloseable {

	private final StoreAddress store;

	private final Map<String, AutoCloseable> resources = new LinkedHashMap<>();

	/**
	 * Make a client that has not connected yet.
	 * @param store where its locks are kept
	 */
	public Client(StoreAddress store) {
		this.store = store;
	}

	/**
	 * Return where the locks are kept.
	 * @return the store
	 */
	public StoreAddress store() {
		return this.store;
	}

	/**
	 * Return a resource of this client that several contenders share, as they would in
	 * one application.
	 * @param <T> its type
	 * @param type its type
	 * @param name its name
	 * @param opening opens it when it is first asked for
	 * @return the resource, closed with this client
	 */
	public <T extends AutoCloseable> T resource(Class<T> type, String name, Supplier<T> opening) {
		AutoCloseable resource = this.resources.get(name);
		if (resource == null) {
			resource = opening.get();
			this.resources.put(name, resource);
		}
		return type.cast(resource);
	}

	@Override
	public void close() throws Exception {
		// Those that were opened first are used by those after them.
		List<AutoCloseable> latestFirst = new ArrayList<>(this.resources.values());
		Collections.reverse(latestFirst);
		for (AutoCloseable resource : latestFirst) {
			resource.close();
		}
		this.resources.clear();
	}

}
