/**
 * Locks in ZooKeeper, through Curator: one ephemeral sequential node for each ticket,
 * each watching the one before it. Made by the auto-configuration; nobody else calls it.
 */
@NullMarked
package io.github.distlock.backend.zookeeper;

import org.jspecify.annotations.NullMarked;
