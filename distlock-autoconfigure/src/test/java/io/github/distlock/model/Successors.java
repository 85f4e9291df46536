package io.github.distlock.model;

import java.util.function.Supplier;

/** Receives the states that follow a state. */
@FunctionalInterface
interface Successors {

	/**
	 * One more state, with the step that led to it, for the trace of a counterexample.
	 */
	void add(World world, Supplier<String> step);

}
