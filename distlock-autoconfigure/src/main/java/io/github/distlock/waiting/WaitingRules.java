package io.github.distlock.waiting;

import java.time.Duration;

/**
 * The rules of a waiting room.
 *
 * @param patience how long the store may be silent before waiting ends
 * @param handOff how long a lock may stay in this JVM
 */
public record WaitingRules(Duration patience, HandOffLimits handOff) {
}
