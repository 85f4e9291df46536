package io.github.distlock.test.warehouse;

import org.springframework.stereotype.Component;

/**
 * Locks nothing.
 */
@Component
class Cleaning implements Comparable<Cleaning> {

	@Override
	public int compareTo(Cleaning other) {
		return 0;
	}

}
