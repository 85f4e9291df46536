package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.RowPlace.Held;
import org.jspecify.annotations.Nullable;

/**
 * Locks as row locks of the database: who has one keeps a transaction open, on one of the
 * store's connections, and the database ends it when its process dies. Waiters wait in
 * the database, on threads of the store. Thread-safe.
 */
public final class JdbcRowBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	/**
	 * One: a lock is never passed on inside the JVM. The database may have ended the
	 * holder's session and let another JVM in, which only a command finds out.
	 */
	static final int TOKENS = 1;

	private final DataSource dataSource;

	private final JdbcBackendSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	private volatile @Nullable Open open;

	/**
	 * Create the store. Sends nothing yet.
	 * @param dataSource the database
	 * @param settings how to work
	 * @param clock the time
	 */
	public JdbcRowBackend(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.clock = clock;
		// What runs too late runs in a transaction that nobody keeps.
		this.description = new BackendDescription("jdbc", Set.of(LockMode.EXCLUSIVE), false, false, TOKENS,
				Duration.ZERO, BATCH_SIZE);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void validateKey(String key) {
		LockKeys.validate(key);
	}

	@Override
	public void start(String instance, LockSignals signals) {
		JdbcStore store = JdbcStore.row(this.dataSource, this.settings, this.clock);
		this.open = new Open(store, new RowPlaces(store, this.settings, signals));
	}

	@Override
	public void stop() {
		Open current = this.open;
		this.open = null;
		if (current != null) {
			current.places().stop();
			current.store().close();
		}
	}

	@Override
	public void verify() {
		required().store().verify();
	}

	/** The lease is not used: the registry ends what has a lease time of its own. */
	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		Open current = required();
		RowPlace known = current.places().find(ticket);
		if (known != null) {
			Held held = known.held();
			if (held != null) {
				return new AttemptResult.Granted(held.grant());
			}
			if (known.waiting) {
				return new AttemptResult.Waiting(RowPlaces.LOOK_AGAIN, false);
			}
		}
		RowPlace place = (known != null) ? known : current.places().begin(ticket, queue);
		return answer(current.store(), place);
	}

	private AttemptResult answer(JdbcStore store, RowPlace place) {
		String key = place.ticket.key();
		Duration timeout = this.settings.commandTimeout();
		CompletableFuture<AttemptResult> answer = place.answer;
		if (!store.threads().await(answer, timeout) && place.session() == null) {
			// A grant that comes later is signalled.
			answer.completeExceptionally(store.source().noConnection("attempt", key, null));
		}
		if (!store.threads().await(answer, timeout.multipliedBy(3))) {
			answer.completeExceptionally(new LockBackendException("The database did not answer the attempt"
					+ JdbcFailures.lock(key) + " in time: check its load, and distlock.jdbc.command-timeout"));
		}
		return StoreThreads.result(answer, "attempt", key);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		Open current = required();
		RowPlace place = current.places().find(ticket);
		boolean released = place != null && release(current.places(), place, lastToken);
		return new ReleaseResult(released, (next != null) ? attempt(next.ticket(), next.lease(), true) : null);
	}

	private static boolean release(RowPlaces places, RowPlace place, long lastToken) {
		Held held = place.leave();
		if (held != null) {
			return places.release(place, held, lastToken);
		}
		places.cancel(place);
		return false;
	}

	@Override
	public void cancel(Ticket ticket) {
		Open current = required();
		RowPlace place = current.places().find(ticket);
		if (place != null) {
			current.places().cancel(place);
		}
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		Open current = required();
		List<CompletableFuture<Boolean>> checks = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			checks.add(current.store().threads().submit(() -> isHeld(current.places(), renewal)));
		}
		List<RenewalResult> results = new ArrayList<>(renewals.size());
		for (CompletableFuture<Boolean> check : checks) {
			results.add(result(current, renewals.get(results.size()).ticket(), check));
		}
		return results;
	}

	private static boolean isHeld(RowPlaces places, Renewal renewal) {
		RowPlace place = places.find(renewal.ticket());
		Held held = (place != null) ? place.held() : null;
		return place != null && held != null && held.grant().lastToken() == renewal.lastToken() && places.check(place);
	}

	private RenewalResult result(Open current, Ticket ticket, CompletableFuture<Boolean> check) {
		if (!current.store().threads().await(check, this.settings.commandTimeout().multipliedBy(3))) {
			return new RenewalResult.Unknown(new LockBackendException(
					"The database did not say in time whether the transaction of a lock is alive"));
		}
		boolean alive;
		try {
			alive = StoreThreads.result(check, "renewal", ticket.key());
		}
		catch (LockBackendException ex) {
			return new RenewalResult.Unknown(ex);
		}
		RowPlace place = current.places().find(ticket);
		Held held = (alive && place != null) ? place.held() : null;
		return (held != null) ? new RenewalResult.Renewed(held.grant().validity()) : new RenewalResult.Gone();
	}

	private Open required() {
		Open current = this.open;
		if (current == null) {
			throw StoreThreads.stopped();
		}
		return current;
	}

	private record Open(JdbcStore store, RowPlaces places) {
	}

}
