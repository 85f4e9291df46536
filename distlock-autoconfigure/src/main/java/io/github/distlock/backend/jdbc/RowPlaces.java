package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.jdbc.RowPlace.Held;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of this JVM that wait for rows or hold them. Each that works has one of the
 * slots, a connection and, until it holds, a thread.
 */
final class RowPlaces {

	private static final Log logger = LogFactory.getLog(RowPlaces.class);

	/** A ticket that waits hears of its grant; asking again costs nothing. */
	static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

	private static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

	private final ConcurrentMap<Ticket, RowPlace> places = new ConcurrentHashMap<>();

	private final RowSlots slots;

	private final JdbcStore store;

	private final JdbcKeys keys;

	private final JdbcBackendSettings settings;

	private final LockSignals signals;

	private volatile boolean stopped;

	RowPlaces(JdbcStore store, JdbcBackendSettings settings, LockSignals signals) {
		this.store = store;
		this.keys = new JdbcKeys(settings.keyPrefix());
		this.slots = new RowSlots(settings.maxConnections());
		this.settings = settings;
		this.signals = signals;
		store.threads().every(CHECK_PERIOD, this::checkAll);
	}

	@Nullable RowPlace find(Ticket ticket) {
		return this.places.get(ticket);
	}

	/**
	 * Begin to work for a ticket.
	 * @return its place; one that waits for a connection has been answered
	 */
	RowPlace begin(Ticket ticket, boolean waits) {
		RowPlace place = new RowPlace(ticket, waits);
		RowPlace known = this.places.putIfAbsent(ticket, place);
		if (known != null) {
			return known;
		}
		if (this.slots.take(place)) {
			start(place);
		}
		else if (waits) {
			logger.debug("A lock waits for one of the connections (distlock.jdbc.max-connections): " + ticket.key());
			waits(place);
		}
		else {
			this.places.remove(ticket, place);
			place.answer.completeExceptionally(new LockBackendException("Lock '" + ticket.key()
					+ "' cannot be tried: all " + this.settings.maxConnections()
					+ " connections of the row mode hold locks or wait for some. Raise distlock.jdbc.max-connections"
					+ " (and the size of the pool), hold locks for less time, or use distlock.jdbc.mode=lease"));
		}
		return place;
	}

	private static void waits(RowPlace place) {
		place.waiting = true;
		place.answer.complete(new AttemptResult.Waiting(LOOK_AGAIN, true));
	}

	private void start(RowPlace place) {
		this.store.threads().submit(() -> {
			work(place);
			return true;
		}).whenComplete((done, failure) -> {
			// It never began: the store was stopped, or no thread could be started.
			if (failure != null) {
				place.answer.completeExceptionally(failure);
				end(place);
			}
		});
	}

	private void work(RowPlace place) {
		RowSession session = null;
		Grant grant = null;
		boolean requeued = false;
		try {
			if (!place.isLeaving()) {
				session = RowSession.open(this.store.source(), this.keys.of(place.ticket.key()));
				place.working(session);
				this.store.sweeper().rowUsed();
				RowSession.Row row = session.take();
				long now = (row != null) ? row.nowMicros() : 0;
				if (row == null && !place.waits) {
					place.answer.complete(new AttemptResult.Busy(Duration.ZERO));
				}
				while (row == null && place.waits && !requeued && !place.isLeaving()) {
					waits(place);
					row = session.await(place::isLeaving);
					now = (row != null) ? session.clockMicros() : 0;
					requeued = row == null && stepBack(place);
				}
				grant = (row != null) ? hold(place, row.fence(), now) : null;
			}
		}
		catch (Throwable ex) {
			failed(place, session, ex);
		}
		finally {
			if (grant == null) {
				if (!requeued) {
					// Also if it held the row for a moment: no caller must believe in it.
					place.leave();
				}
				closeQuietly(session);
				if (!requeued) {
					end(place);
				}
			}
		}
	}

	/** The end of a place must not depend on its connection. */
	private static void closeQuietly(@Nullable RowSession session) {
		try {
			if (session != null) {
				session.close();
			}
		}
		catch (Throwable ex) {
			logger.debug("The connection of a lock could not be closed", ex);
		}
	}

	private @Nullable Grant hold(RowPlace place, long fence, long nowMicros) {
		long first = Math.max(fence + 1, nowMicros);
		Grant grant = new Grant(first, first + JdbcRowBackend.TOKENS - 1, Validity.session(place::isHolding));
		if (!place.hold(grant)) {
			return null;
		}
		if (!place.answer.complete(new AttemptResult.Granted(grant))) {
			this.signals.granted(place.ticket, grant);
		}
		return grant;
	}

	/** Others wait for a connection: let them have this one for a while. */
	private boolean stepBack(RowPlace place) {
		RowPlace next = this.slots.swap(place);
		if (next == null) {
			return false;
		}
		start(next);
		if (place.isLeaving()) {
			forgetQueued(place);
		}
		return true;
	}

	private void failed(RowPlace place, @Nullable RowSession session, Throwable ex) {
		String key = place.ticket.key();
		LockBackendException failure = (session == null && ex instanceof SQLException unconnected)
				? this.store.source().noConnection("attempt", key, unconnected) : JdbcFailures.of("attempt", key, ex);
		if (!place.answer.completeExceptionally(failure) && !place.isLeaving()) {
			logger.debug("Waiting for a lock begins anew", ex);
			this.places.remove(place.ticket, place);
			this.signals.lookAgain(place.ticket);
		}
	}

	/** Give the slot back, once: whatever goes wrong calls this again. */
	private void end(RowPlace place) {
		this.places.remove(place.ticket, place);
		if (!place.ended.complete(true)) {
			return;
		}
		RowPlace next = this.slots.give();
		if (next != null && !this.stopped) {
			start(next);
		}
	}

	private boolean forgetQueued(RowPlace place) {
		if (!this.slots.forget(place)) {
			return false;
		}
		this.places.remove(place.ticket, place);
		place.ended.complete(true);
		return true;
	}

	/**
	 * Give a held row back.
	 * @param lastToken the last that was used
	 * @return whether it was held until now
	 */
	boolean release(RowPlace place, Held held, long lastToken) {
		Grant grant = held.grant();
		boolean used = lastToken >= grant.firstToken() && lastToken <= grant.lastToken();
		long fence = used ? lastToken : grant.lastToken();
		var done = this.store.threads().submit(() -> {
			try {
				this.store.sweeper().rowUsed();
				held.session().finish(fence);
				return true;
			}
			catch (SQLException ex) {
				logger.debug("The transaction of a lock had ended before its release", ex);
				return false;
			}
			finally {
				closeQuietly(held.session());
				end(place);
			}
		});
		endUnlessBegun(done, place, held);
		if (!this.store.threads().await(done, this.settings.commandTimeout().multipliedBy(3))) {
			throw new LockBackendException("The database did not answer the release"
					+ JdbcFailures.lock(place.ticket.key()) + " in time: check its load");
		}
		return StoreThreads.result(done, "release", place.ticket.key());
	}

	/** If no thread could be started, the row goes back on this one. */
	private void endUnlessBegun(CompletableFuture<Boolean> task, RowPlace place, Held held) {
		if (task.isCompletedExceptionally() && !place.ended.isDone()) {
			held.session().discard();
			end(place);
		}
	}

	/** Forget a ticket, whatever it does; answers when nothing of it is left. */
	void cancel(RowPlace place) {
		Held held = place.leave();
		if (held != null) {
			endUnlessBegun(this.store.threads().submit(() -> {
				closeQuietly(held.session());
				end(place);
				return true;
			}), place, held);
		}
		// Stopping a statement that has not begun does nothing, and some drivers stop one
		// only once. Four seconds in all: it ends by itself before that.
		for (int i = 0; i < 64; i++) {
			if (forgetQueued(place) || this.store.threads().await(place.ended, Duration.ofMillis(i * 2L))) {
				return;
			}
			RowSession session = place.session();
			if (session != null && held == null) {
				this.store.threads().submit(() -> {
					session.cancel();
					return true;
				});
			}
		}
		throw new LockBackendException(
				"The database did not stop waiting for lock '" + place.ticket.key() + "': check that it is reachable");
	}

	/** Whether the transaction of a held row is alive; if not, the row is lost. */
	boolean check(RowPlace place) {
		Held held = place.held();
		if (held == null) {
			return false;
		}
		if (held.session().isAlive(this.settings.commandTimeout())) {
			return true;
		}
		if (place.leave() != null) {
			held.session().discard();
			end(place);
		}
		return false;
	}

	private void checkAll() {
		for (RowPlace place : this.places.values()) {
			if (place.held() != null) {
				this.store.threads().submit(() -> {
					if (place.held() != null && !check(place)) {
						this.signals.renewNow(place.ticket);
					}
					return true;
				});
			}
		}
	}

	void stop() {
		this.stopped = true;
		for (RowPlace place : this.places.values()) {
			try {
				cancel(place);
			}
			catch (RuntimeException ex) {
				logger.debug("A lock ends with its connection", ex);
			}
		}
	}

}
