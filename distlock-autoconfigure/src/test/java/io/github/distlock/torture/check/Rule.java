package io.github.distlock.torture.check;

import java.util.List;

import io.github.distlock.torture.history.History;

/**
 * One promise of the design.
 */
interface Rule {

	/**
	 * Find where a history breaks it.
	 * @return what was broken, nothing if it held
	 */
	List<Violation> check(History history);

}
