/**
 * Locks in a relational database ({@link io.github.distlock.backend.jdbc.JdbcBackend}),
 * in two modes. In the mode {@code lease} a lock is a row with a lease, and an attempt is
 * one short statement. In the mode {@code row} a lock is the database's own lock on a
 * row, held by an open transaction. Only the auto-configuration uses this package.
 */
@NullMarked
package io.github.distlock.backend.jdbc;

import org.jspecify.annotations.NullMarked;
