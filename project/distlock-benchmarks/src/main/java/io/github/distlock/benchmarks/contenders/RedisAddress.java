package io.github.distlock.benchmarks.contenders;

/**
 * Where the server is.
 *
 * @param host its host
 * @param port its port
 */
public record RedisAddress(String host, int port) {

	/**
	 * Read what {@link #toString()} writes.
	 * @param text host and port
	 * @return the address
	 * @throws IllegalArgumentException if it is none
	 */
	public static RedisAddress parse(String text) {
		int colon = text.lastIndexOf(':');
		try {
			if (colon > 0) {
				int port = Integer.parseInt(text.substring(colon + 1));
				if (port > 0 && port < 65_536) {
					return new RedisAddress(text.substring(0, colon), port);
				}
			}
		}
		catch (NumberFormatException ex) {
			// Told below.
		}
		throw new IllegalArgumentException("'" + text + "' is no address: write host:port, such as localhost:6379");
	}

	@Override
	public String toString() {
		return this.host + ":" + this.port;
	}

}
