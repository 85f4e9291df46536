package io.github.distlock.registry;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.distlock.LockInstance;
import org.jspecify.annotations.Nullable;

/**
 * Gives each run of a registry its identity.
 */
final class InstanceIdentity {

	private static final int MAX_APPLICATION = 24;

	private static final int MAX_HOST = 40;

	/**
	 * The same for all registries of this JVM: found once, since a look-up may be slow.
	 */
	private static final String HOST = host();

	private InstanceIdentity() {
	}

	/**
	 * Return a new identity.
	 * @param nonce what no other instance has
	 * @param application the name of the application, {@code null} for an identity that
	 * consists of the nonce only
	 */
	static LockInstance create(String nonce, @Nullable String application) {
		if (application == null) {
			return LockInstance.of(nonce);
		}
		return new LockInstance(nonce, plain(application, MAX_APPLICATION), plain(HOST, MAX_HOST),
				ProcessHandle.current().pid());
	}

	private static String host() {
		String fromEnvironment = System.getenv("HOSTNAME");
		if (fromEnvironment != null && !fromEnvironment.isBlank()) {
			return fromEnvironment;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown-host";
		}
	}

	/** The stores have characters of their own between tickets and other values. */
	private static String plain(String name, int maximum) {
		String plain = name.isEmpty() ? "_" : name.replaceAll("[^A-Za-z0-9._-]", "_");
		return plain.substring(0, Math.min(plain.length(), maximum));
	}

}
