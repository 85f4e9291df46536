/**
 * Redis as it is run in production: Sentinel, Cluster, TLS, an ACL user with few rights.
 */
@NullMarked
package io.github.distlock.shapes;

import org.jspecify.annotations.NullMarked;
