/**
 * Starts processes of this program and ends them, and what they need: ports, HTTP. Knows
 * nothing of runs.
 */
@NullMarked
package io.github.distlock.lab.processes;

import org.jspecify.annotations.NullMarked;
