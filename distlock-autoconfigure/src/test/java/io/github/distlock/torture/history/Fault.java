package io.github.distlock.torture.history;

/**
 * What the nemesis did.
 *
 * @param begin when it began
 * @param end when all was well again
 * @param name what it was
 * @param worker whom it hit; {@code all} for everybody
 * @param loses whether the store lost data
 */
public record Fault(long begin, long end, String name, String worker, boolean loses) {
}
