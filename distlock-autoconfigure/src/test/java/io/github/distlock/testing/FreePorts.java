package io.github.distlock.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

import org.springframework.util.function.ThrowingSupplier;

/**
 * Ports on which servers of tests listen. Each is given once, to one JVM at a time: a
 * lock on a byte of a common file, which the system removes with the JVM, keeps it from
 * the others. All are above the range that Linux gives to clients and for port 0, so that
 * no other socket takes one before its server starts.
 */
final class FreePorts {

	private static final int FIRST = 61000;

	private static final int END = 65536;

	private static final int MAX_TRIES = 100_000;

	/** Never closed: that would give all ports back. */
	private static final FileChannel given = ThrowingSupplier
		.of(() -> FileChannel.open(Path.of(System.getProperty("java.io.tmpdir"), "distlock-test-ports"),
				StandardOpenOption.CREATE, StandardOpenOption.WRITE))
		.get();

	private FreePorts() {
	}

	/** Return a port that nothing listens on. */
	static int next() {
		for (int tries = 0; tries < MAX_TRIES; tries++) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, END);
			if (claim(port) && isFree(port)) {
				return port;
			}
		}
		throw new IllegalStateException("No port from " + FIRST + " is free");
	}

	private static boolean claim(int port) {
		try {
			return ThrowingSupplier.of(() -> given.tryLock(port, 1, false)).get() != null;
		}
		catch (OverlappingFileLockException ex) {
			// This JVM has it.
			return false;
		}
	}

	/** Whether a server can listen on a port now. */
	static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
