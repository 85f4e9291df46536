package io.github.distlock.lab.servers;

import java.io.IOException;

/**
 * Reads the article of the runs from the database.
 */
@FunctionalInterface
public interface StockReader {

	/**
	 * Read it with one query.
	 * @return the article
	 * @throws IOException if the database does not answer
	 * @throws InterruptedException if interrupted while waiting
	 */
	StockLevel read() throws IOException, InterruptedException;

}
