package io.github.distlock.registry;

/**
 * Lets tests of other packages see what a registry shows to its own tests only.
 */
public final class RegistryProbe {

	private RegistryProbe() {
	}

	/**
	 * Return whether nothing is held, waited for, or on its way to the store.
	 * @param registry a running registry
	 * @return whether it is idle
	 */
	public static boolean isIdle(BackendLockRegistry registry) {
		return registry.snapshot().isIdle();
	}

}
