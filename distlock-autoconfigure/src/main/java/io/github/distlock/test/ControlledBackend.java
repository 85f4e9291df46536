package io.github.distlock.test;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory that stands for another one: somebody else takes its locks, its
 * leases are lost, and it fails, whenever a test says so. Thread-safe.
 */
final class ControlledBackend implements LockBackend {

	private final String name;

	private final LocalLockBackend local;

	/** Another JVM over the same locks. */
	private final ForeignHolder foreignHolder;

	/** What the application was granted and has not given back. */
	private final Map<Ticket, HeldGrant> held = new ConcurrentHashMap<>();

	/** Why every command fails; {@code null} while none does. */
	private volatile @Nullable String failure;

	private volatile @Nullable LockSignals signals;

	ControlledBackend(String name, int tokensPerGrant) {
		LocalStore store = new LocalStore(TimeSource.SYSTEM);
		this.name = name;
		this.local = new LocalLockBackend(store, tokensPerGrant, TimeSource.SYSTEM);
		this.foreignHolder = new ForeignHolder(store);
	}

	ForeignHolder foreignHolder() {
		return this.foreignHolder;
	}

	Collection<HeldGrant> held() {
		return List.copyOf(this.held.values());
	}

	void fail(@Nullable String failure) {
		this.failure = failure;
	}

	boolean isFailing() {
		return this.failure != null;
	}

	/**
	 * Forget that somebody holds a lock, and have him ask. Nothing is done to the
	 * registry: it hears of the loss as it would from any store.
	 */
	void lose(HeldGrant lock) {
		this.held.remove(lock.ticket());
		this.local.cancel(lock.ticket());
		LockSignals told = this.signals;
		if (told != null) {
			told.renewNow(lock.ticket());
		}
	}

	@Override
	public BackendDescription description() {
		BackendDescription real = this.local.description();
		return new BackendDescription(this.name, real.modes(), real.fair(), real.expires(), real.tokensPerGrant(),
				real.strayDelay(), real.batchSize());
	}

	@Override
	public void validateKey(String key) {
		this.local.validateKey(key);
	}

	@Override
	public void start(String instance, LockSignals told) {
		this.signals = told;
		this.local.start(instance, new LockSignals() {

			@Override
			public void granted(Ticket ticket, Grant grant) {
				remember(ticket, grant);
				told.granted(ticket, grant);
			}

			@Override
			public void lookAgain(Ticket ticket) {
				told.lookAgain(ticket);
			}

			@Override
			public void lookAgainAll() {
				told.lookAgainAll();
			}

			@Override
			public void renewNow(Ticket ticket) {
				told.renewNow(ticket);
			}

		});
	}

	@Override
	public void stop() {
		this.local.stop();
		this.signals = null;
	}

	@Override
	public void verify() {
		requireSound();
		this.local.verify();
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		requireSound();
		return remember(ticket, this.local.attempt(ticket, lease, queue));
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireSound();
		this.held.remove(ticket);
		ReleaseResult result = this.local.release(ticket, lastToken, next);
		AttemptResult answer = result.next();
		if (next != null && answer != null) {
			remember(next.ticket(), answer);
		}
		return result;
	}

	@Override
	public void cancel(Ticket ticket) {
		requireSound();
		this.held.remove(ticket);
		this.local.cancel(ticket);
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		requireSound();
		return this.local.renew(renewals);
	}

	private AttemptResult remember(Ticket ticket, AttemptResult result) {
		if (result instanceof AttemptResult.Granted granted) {
			remember(ticket, granted.grant());
		}
		return result;
	}

	private void remember(Ticket ticket, Grant grant) {
		this.held.put(ticket, new HeldGrant(ticket, grant));
	}

	private void requireSound() {
		String why = this.failure;
		if (why != null) {
			throw new LockBackendException(why);
		}
	}

}
