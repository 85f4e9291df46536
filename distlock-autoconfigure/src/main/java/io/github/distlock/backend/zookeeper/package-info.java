/**
 * The ZooKeeper store, on Curator: an ephemeral sequential node for each ticket, which
 * watches its predecessor. Created by the auto-configuration.
 */
@NullMarked
package io.github.distlock.backend.zookeeper;

import org.jspecify.annotations.NullMarked;
