/**
 * Locks in a relational database, in two modes.
 * {@link io.github.distlock.backend.jdbc.JdbcLeaseBackend}: a row with a lease, one short
 * statement an attempt. {@link io.github.distlock.backend.jdbc.JdbcRowBackend}: the lock
 * of the database on that row, held by an open transaction. Used by the
 * auto-configuration alone.
 */
@NullMarked
package io.github.distlock.backend.jdbc;

import org.jspecify.annotations.NullMarked;
