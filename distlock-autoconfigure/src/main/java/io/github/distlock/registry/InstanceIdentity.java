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

	private static final int MAX_TEXT = 90;

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
		return (application != null) ? create(nonce, application, HOST) : LockInstance.of(nonce);
	}

	/**
	 * Return an identity whose text is not too long. Of a host the end is kept, which
	 * differs between the pods of a deployment.
	 */
	static LockInstance create(String nonce, String application, String host) {
		String start = application.isEmpty() ? "_"
				: application.substring(0, Math.min(application.length(), MAX_APPLICATION));
		LockInstance instance = new LockInstance(nonce, start, host, ProcessHandle.current().pid());
		if (instance.text().length() <= MAX_TEXT) {
			return LockInstance.of(instance.text());
		}
		return (host.length() > start.length()) ? create(nonce, start, host.substring(1))
				: create(nonce, start.substring(0, start.length() - 1), host);
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

}
