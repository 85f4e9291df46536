package io.github.distlock.torture.history;

/**
 * A fault that the nemesis injected.
 *
 * @param begin when it began
 * @param end when the system had recovered
 * @param name the kind of fault
 * @param worker the affected worker; {@code all} for all
 * @param loses whether the store lost data
 */
public record Fault(long begin, long end, String name, String worker, boolean loses) {
}
