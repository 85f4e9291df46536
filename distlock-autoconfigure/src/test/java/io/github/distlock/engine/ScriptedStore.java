package io.github.distlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.testing.IdleStore;

/**
 * A store that renews or fails as a test tells it to, and records the renewals.
 */
final class ScriptedStore extends IdleStore {

	final List<List<Renewal>> batches = new ArrayList<>();

	boolean failing;

	boolean gone;

	/** Runs while a renewal is under way. */
	Runnable meanwhile = () -> {
	};

	private final TimeSource clock;

	ScriptedStore(TimeSource clock) {
		this.clock = clock;
	}

	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		this.batches.add(renewals);
		if (this.failing) {
			throw new LockBackendException("no answer");
		}
		TimeSource.Instant sent = this.clock.now();
		this.meanwhile.run();
		return CompletableFuture.completedFuture(renewals.stream()
			.<RenewalResult>map((renewal) -> this.gone ? new RenewalResult.Gone(false)
					: new RenewalResult.Extended(Validity.until(sent, renewal.lease())))
			.toList());
	}

}
