package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Locks in Redis.
 */
public final class RedisLockBackend implements LockBackend {

	/**
	 * Create the store. Sends nothing yet.
	 * @param connectionFactory the application's Redis
	 * @param settings how to work
	 * @param clock the time
	 */
	public RedisLockBackend(RedisConnectionFactory connectionFactory, RedisBackendSettings settings, TimeSource clock) {
	}

	@Override
	public BackendDescription description() {
		throw new UnsupportedOperationException();
	}

	@Override
	public void validateKey(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void start(String instance, LockSignals signals) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void stop() {
		throw new UnsupportedOperationException();
	}

	@Override
	public void verify() {
		throw new UnsupportedOperationException();
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void cancel(Ticket ticket) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		throw new UnsupportedOperationException();
	}

}
