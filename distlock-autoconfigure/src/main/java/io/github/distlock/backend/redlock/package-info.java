/**
 * The store made of several independent nodes: a lock is held by the ticket that holds it
 * on a majority of them. Knows {@link io.github.distlock.backend.redlock.QuorumNode}s and
 * no server's own protocol. {@link io.github.distlock.backend.redlock.RedlockBackend} is
 * the door.
 */
@NullMarked
package io.github.distlock.backend.redlock;

import org.jspecify.annotations.NullMarked;
