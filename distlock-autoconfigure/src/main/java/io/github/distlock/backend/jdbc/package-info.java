/**
 * Locks in a relational database, in two modes. In the mode {@code lease}
 * ({@link io.github.distlock.backend.jdbc.JdbcLeaseBackend}) a lock is a row with a
 * lease, and an attempt is one short statement. In the mode {@code row}
 * ({@link io.github.distlock.backend.jdbc.JdbcRowBackend}) a lock is the database's own
 * lock on a row, held by an open transaction. Only the auto-configuration uses this
 * package. Statements run on Spring's JDBC templates.
 */
@NullMarked
package io.github.distlock.backend.jdbc;

import org.jspecify.annotations.NullMarked;
