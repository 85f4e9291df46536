/**
 * Starts the servers and the services as processes of their own, plays the orders and
 * reports. No Spring here, and nothing of distlock: from outside, the three strategies
 * are HTTP requests. {@link io.github.distlock.sample.launcher.Launcher} is the door; the
 * other public types are what a started process needs.
 */
@NullMarked
package io.github.distlock.sample.launcher;

import org.jspecify.annotations.NullMarked;
