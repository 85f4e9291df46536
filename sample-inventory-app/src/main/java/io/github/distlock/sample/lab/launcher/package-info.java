/**
 * Starts the servers and the inventory nodes as processes of their own, carries out runs
 * and reports. Uses nothing of distlock: the launcher sees the strategies as HTTP
 * requests. {@link io.github.distlock.sample.lab.launcher.Launcher} is the entry. A run
 * is a {@link io.github.distlock.sample.lab.launcher.RunRequest} that
 * {@link io.github.distlock.sample.lab.launcher.RunControl} starts, for the command line
 * and for the page; a {@link io.github.distlock.sample.lab.launcher.RunListener} follows
 * it. The other public types are what the lab and a started process need.
 */
@NullMarked
package io.github.distlock.sample.lab.launcher;

import org.jspecify.annotations.NullMarked;
