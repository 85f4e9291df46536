package io.github.distlock.sample.launcher;

import java.util.List;

/**
 * The strategies by the names that the services know.
 */
final class Strategies {

	static final String LOCKED = "distributed-lock";

	/** In the order in which they are played. */
	static final List<String> ALL = List.of("none", "synchronized", LOCKED);

	private Strategies() {
	}

}
