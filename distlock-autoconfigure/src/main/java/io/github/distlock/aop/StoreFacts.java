package io.github.distlock.aop;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.github.distlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * What a locked method must know of the store behind a registry.
 *
 * @param name name of the store, for events
 * @param modes the modes it offers
 * @param fair whether it keeps the order of arrival over all JVMs
 * @param maxHoldTime for how long locks without a lease time are renewed, {@code null}
 * without a limit
 */
public record StoreFacts(String name, Set<LockMode> modes, boolean fair, @Nullable Duration maxHoldTime) {

	/** Of a registry that does not tell: whatever it cannot do it refuses when called. */
	public static final StoreFacts UNKNOWN = new StoreFacts("unknown", EnumSet.allOf(LockMode.class), true, null);

}
