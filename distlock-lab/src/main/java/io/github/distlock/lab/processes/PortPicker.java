package io.github.distlock.lab.processes;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Chooses ports by trying to bind them. Between that test and the start of the server
 * another program may take the port; then the server fails. Never picks a port twice. Nor
 * do launchers that run at the same time: each holds the UDP ports with the numbers that
 * it has picked, which its TCP servers do not need.
 */
public final class PortPicker {

	// Below the range that operating systems use for outgoing connections.
	private static final int LOWEST = 20_000;

	private static final int HIGHEST = 32_000;

	private static final int ATTEMPTS = 200;

	private final RandomGenerator random;

	private final Set<Integer> picked = new HashSet<>();

	/** Open until this process ends. */
	private final List<DatagramSocket> reservations = new ArrayList<>();

	/**
	 * Begin without a port.
	 * @param random chooses among the free ports
	 */
	public PortPicker(RandomGenerator random) {
		this.random = random;
	}

	/**
	 * Pick the wished port if it is free, else another one.
	 * @param wished a port, or 0 for any
	 * @return a port that was free just now
	 */
	public int pick(int wished) {
		if (wished > 0 && isFree(wished) && this.picked.add(wished)) {
			return wished;
		}
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			int port = this.random.nextInt(LOWEST, HIGHEST);
			if (isFree(port) && reserve(port) && this.picked.add(port)) {
				return port;
			}
		}
		throw new IllegalStateException("No free port found in %d tries between %d and %d: stop some servers"
			.formatted(ATTEMPTS, LOWEST, HIGHEST));
	}

	private boolean reserve(int port) {
		try {
			this.reservations.add(new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static boolean isFree(int port) {
		// A server on one address hides from a test of the other on some systems.
		return canBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
				&& canBind(new InetSocketAddress(port));
	}

	private static boolean canBind(InetSocketAddress address) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.bind(address);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
