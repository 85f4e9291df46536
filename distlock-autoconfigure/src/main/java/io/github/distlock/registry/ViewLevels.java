package io.github.distlock.registry;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How often this thread has each key through the views of one composite: unlocking more
 * often must not release what it has in one of the members without the composite.
 */
final class ViewLevels {

	private final ThreadLocal<@Nullable Map<String, Integer>> levels = new ThreadLocal<>();

	void enter(String key) {
		Map<String, Integer> mine = this.levels.get();
		if (mine == null) {
			mine = new HashMap<>();
			this.levels.set(mine);
		}
		mine.merge(key, 1, Integer::sum);
	}

	/**
	 * Leave one level.
	 * @return whether there was one
	 */
	boolean leave(String key) {
		Map<String, Integer> mine = this.levels.get();
		if (mine == null || !mine.containsKey(key)) {
			return false;
		}
		mine.computeIfPresent(key, (same, level) -> (level > 1) ? level - 1 : null);
		if (mine.isEmpty()) {
			this.levels.remove();
		}
		return true;
	}

}
