/**
 * A ZooKeeper server.
 */
@NullMarked
package io.github.distlock.benchmarks.servers.zookeeper;

import org.jspecify.annotations.NullMarked;
