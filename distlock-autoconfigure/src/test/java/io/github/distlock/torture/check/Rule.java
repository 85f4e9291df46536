package io.github.distlock.torture.check;

import java.util.List;

import io.github.distlock.torture.history.History;

/**
 * One guarantee of the design.
 */
interface Rule {

	/** Find the violations in a history. */
	List<Violation> check(History history);

}
