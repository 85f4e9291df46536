/**
 * A deterministic simulation of the engine. The real registries of several JVMs run on
 * one simulated store, network and clock. One thread runs at a time, and one seed decides
 * everything, so each history can be replayed. See docs/maintainers/simulation.md.
 */
@NullMarked
package io.github.distlock.simulation;

import org.jspecify.annotations.NullMarked;
