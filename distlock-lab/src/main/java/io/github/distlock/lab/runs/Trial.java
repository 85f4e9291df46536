package io.github.distlock.lab.runs;

/**
 * One strategy under one fault, as a part of a run.
 *
 * @param number its number in the run, from 0
 * @param strategy the strategy
 * @param fault what goes wrong meanwhile
 */
public record Trial(int number, Strategy strategy, Fault fault) {
}
