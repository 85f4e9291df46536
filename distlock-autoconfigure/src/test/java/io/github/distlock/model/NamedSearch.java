package io.github.distlock.model;

/**
 * A search of a suite.
 *
 * @param name what is searched
 * @param settings the size, the faults and the flaw
 * @param quick whether it belongs to the short search of each build
 */
record NamedSearch(String name, SearchSettings settings, boolean quick) {

	@Override
	public String toString() {
		return this.name;
	}

}
