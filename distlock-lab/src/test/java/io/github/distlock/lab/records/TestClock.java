package io.github.distlock.lab.records;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until the test moves it.
 */
public final class TestClock extends Clock {

	private final AtomicLong micros = new AtomicLong();

	/**
	 * Set the time.
	 * @param micros microseconds since 1970
	 */
	public void set(long micros) {
		this.micros.set(micros);
	}

	@Override
	public Instant instant() {
		return Instant.EPOCH.plus(this.micros.get(), ChronoUnit.MICROS);
	}

	@Override
	public ZoneId getZone() {
		return ZoneOffset.UTC;
	}

	@Override
	public Clock withZone(ZoneId zone) {
		return this;
	}

}
