/**
 * PostgreSQL and the server of H2.
 */
@NullMarked
package io.github.distlock.benchmarks.servers.jdbc;

import org.jspecify.annotations.NullMarked;
