package io.github.distlock.test.warehouse;

import org.springframework.stereotype.Component;

/**
 * A component without a locked method.
 */
@Component
class Cleaning implements Comparable<Cleaning> {

	@Override
	public int compareTo(Cleaning other) {
		return 0;
	}

}
