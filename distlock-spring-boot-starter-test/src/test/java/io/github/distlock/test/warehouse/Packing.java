package io.github.distlock.test.warehouse;

import org.springframework.stereotype.Component;

/**
 * Component whose locked method is declared by an interface.
 */
@Component
class Packing implements LockedTypes.MorePackingApi, Comparable<Packing> {

	@Override
	public void pack() {
	}

	@Override
	public int compareTo(Packing other) {
		return 0;
	}

}
