package io.github.distlock.docs.examples;

/**
 * Creates reports.
 */
public interface ReportService {

	/** Create the report of a user. */
	Report create(String user);

}
