package io.github.distlock.registry;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;

import io.github.distlock.LockInstance;
import org.jspecify.annotations.Nullable;

/**
 * Gives each run of a registry its identity.
 */
final class InstanceIdentity {

	/**
	 * The same for all registries of this JVM: found once, since a look-up may be slow.
	 */
	private static final class Host {

		static final String NAME = name();

		private static String name() {
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

	private InstanceIdentity() {
	}

	/**
	 * Return a new identity.
	 * @param id the id
	 * @param application the name of the application, {@code null} for an identity that
	 * consists of its id only
	 */
	static LockInstance create(String id, @Nullable String application) {
		if (application == null) {
			return LockInstance.of(id);
		}
		Instant started = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
		return new LockInstance(id, application, Host.NAME, ProcessHandle.current().pid(), started);
	}

}
