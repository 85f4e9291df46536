package io.github.distlock.model;

/** A search of a suite. A quick one belongs to each build. */
record NamedSearch(String name, SearchSettings settings, boolean quick) {

	@Override
	public String toString() {
		return this.name;
	}

}
