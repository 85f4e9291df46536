package io.github.distlock.sample.launcher;

import java.util.Map;

/**
 * What the services are told if faults are to strike: short leases, the same for all
 * locks, so that nobody has to watch a crashed holder's lock for half a minute.
 */
final class FaultSettings {

	private static final Map<String, String> SETTINGS = Map.of("sample.inventory.faults", "true",
			"sample.inventory.lease", "2s", "sample.inventory.patience", "6s", "distlock.lease-time", "2s");

	void addTo(ServiceSettings settings) {
		SETTINGS.forEach(settings::putIfAbsent);
	}

}
