package io.github.distlock.lab.runs;

import java.util.Map;

import io.github.distlock.lab.servers.ServiceSettings;

/**
 * The settings of the services if faults can strike: short leases, the same for all
 * locks, so that the lock of a crashed holder ends within seconds.
 */
public final class FaultSettings {

	private static final Map<String, String> SETTINGS = Map.of("sample.node.faults", "true", "sample.node.lease", "2s",
			"sample.node.give-up-after", "6s", "distlock.lease-time", "2s", "distlock.redis.command-timeout", "600ms",
			"distlock.jdbc.command-timeout", "600ms");

	/**
	 * Set them, except for those that the user has set.
	 * @param settings settings of the services
	 */
	public void addTo(ServiceSettings settings) {
		SETTINGS.forEach(settings::putIfAbsent);
	}

}
