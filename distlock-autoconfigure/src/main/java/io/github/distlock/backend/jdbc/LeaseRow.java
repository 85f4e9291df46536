package io.github.distlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.github.distlock.backend.TimeSource;

/**
 * What a statement answered of a lock.
 *
 * @param owner whose it is, empty if nobody's
 * @param fence the last token of the grant
 * @param remaining how long its lease lasts, zero if it has passed
 * @param sent a moment before the statement was sent
 */
record LeaseRow(String owner, long fence, Duration remaining, TimeSource.Instant sent) {

	static LeaseRow read(ResultSet row, TimeSource.Instant sent) throws SQLException {
		return new LeaseRow(row.getString(1), row.getLong(2),
				Duration.of(Math.max(0, row.getLong(3)), ChronoUnit.MICROS), sent);
	}

	static LeaseRow none(TimeSource.Instant sent) {
		return new LeaseRow("", 0, Duration.ZERO, sent);
	}

}
