package io.github.distlock.sample.lab.launcher;

import java.util.Map;

/**
 * The settings of the services if faults can strike: short leases, the same for all
 * locks, so that the lock of a crashed holder ends within seconds.
 */
final class FaultSettings {

	private static final Map<String, String> SETTINGS = Map.of("sample.inventory.faults", "true",
			"sample.inventory.lease", "2s", "sample.inventory.patience", "6s", "distlock.lease-time", "2s");

	void addTo(ServiceSettings settings) {
		SETTINGS.forEach(settings::putIfAbsent);
	}

}
