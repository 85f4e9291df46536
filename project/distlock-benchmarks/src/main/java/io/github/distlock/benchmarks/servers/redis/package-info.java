/**
 * Redis servers: alone, behind a delay, with TLS, with a replica, three masters.
 */
@NullMarked
package io.github.distlock.benchmarks.servers.redis;

import org.jspecify.annotations.NullMarked;
