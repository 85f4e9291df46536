/**
 * Locks in a relational database ({@link io.github.distlock.backend.jdbc.JdbcBackend}),
 * in two modes. In the mode {@code lease} a lock is a row with a lease, and an attempt is
 * one short statement. In the mode {@code connection} a lock is one of the database
 * itself, held by an open transaction: an advisory lock on PostgreSQL, a locked row
 * elsewhere. Only the auto-configuration uses this package.
 */
@NullMarked
package io.github.distlock.backend.jdbc;

import org.jspecify.annotations.NullMarked;
