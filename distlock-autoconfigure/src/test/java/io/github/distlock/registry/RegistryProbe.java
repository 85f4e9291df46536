package io.github.distlock.registry;

/**
 * Gives tests of other packages access to the snapshot of a registry.
 */
public final class RegistryProbe {

	private RegistryProbe() {
	}

	/**
	 * Return whether no lock is held, waited for, or on its way to the store.
	 * @param registry a running registry
	 * @return whether it is idle
	 */
	public static boolean isIdle(BackendLockRegistry registry) {
		return registry.snapshot().isIdle();
	}

}
