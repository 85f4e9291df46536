package io.github.distlock.sample.lab.launcher;

/**
 * One play of a run.
 *
 * @param number its number in the run, from 0
 * @param strategy the strategy
 * @param fault what goes wrong meanwhile
 */
public record PlannedPlay(int number, Strategy strategy, Fault fault) {
}
