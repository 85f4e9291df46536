/**
 * The topologies of Redis in production: Sentinel, Cluster, TLS, an ACL user with minimal
 * rights.
 */
@NullMarked
package io.github.distlock.shapes;

import org.jspecify.annotations.NullMarked;
