package io.github.distlock.smoke;

/**
 * Something that a test starts and stops.
 */
interface Server extends AutoCloseable {

	@Override
	void close();

}
