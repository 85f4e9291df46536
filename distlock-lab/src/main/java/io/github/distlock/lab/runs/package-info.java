/**
 * Carries out runs: a run is a list of trials, each of them one strategy under one fault
 * with the same orders. {@link io.github.distlock.lab.runs.Runs} starts them, for the
 * command line and for the page, and a {@link io.github.distlock.lab.runs.RunListener}
 * follows them. Uses nothing of distlock: here the strategies are HTTP requests.
 */
@NullMarked
package io.github.distlock.lab.runs;

import org.jspecify.annotations.NullMarked;
