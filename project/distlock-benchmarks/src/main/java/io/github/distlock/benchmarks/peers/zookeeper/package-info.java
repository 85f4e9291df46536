/**
 * Locks of other libraries in ZooKeeper.
 */
@NullMarked
package io.github.distlock.benchmarks.peers.zookeeper;

import org.jspecify.annotations.NullMarked;
