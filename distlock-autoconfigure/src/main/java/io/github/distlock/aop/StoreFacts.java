package io.github.distlock.aop;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.github.distlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * The properties of the store of a registry against which annotations are checked.
 *
 * @param name the name of the store, for events
 * @param modes the supported modes
 * @param fair whether the store keeps the order of arrival across all JVMs
 * @param maxHoldTime how long locks without a lease time are renewed, {@code null}
 * without a limit
 * @param keeps whether a JVM may keep a lock after its release
 * @param releasesInBackground whether a release returns before the store has answered
 */
public record StoreFacts(String name, Set<LockMode> modes, boolean fair, @Nullable Duration maxHoldTime, boolean keeps,
		boolean releasesInBackground) {

	/** For an unknown registry, which refuses unsupported requests when it is called. */
	public static final StoreFacts UNKNOWN = new StoreFacts("unknown", EnumSet.allOf(LockMode.class), true, null, true,
			false);

}
