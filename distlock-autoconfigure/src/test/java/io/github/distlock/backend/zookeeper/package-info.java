/**
 * Tests of the ZooKeeper store, on real servers.
 */
@NullMarked
package io.github.distlock.backend.zookeeper;

import org.jspecify.annotations.NullMarked;
