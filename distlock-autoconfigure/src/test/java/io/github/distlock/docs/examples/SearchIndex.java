package io.github.distlock.docs.examples;

/**
 * The search index of each tenant.
 */
public interface SearchIndex {

	/** Build the index of a tenant anew. */
	void rebuild(String tenant);

}
