package io.github.distlock.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Predicate;

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

	/** Whether the store refuses a batch because of one of its leases. */
	Predicate<Renewal> poisoned = (renewal) -> false;

	/** What the store says of a lease that it has renewed. */
	BiFunction<Renewal, Validity, Validity> answer = (renewal, validity) -> validity;

	/** Whether answers come only when the test runs them. */
	boolean withholding;

	/** The answers that were withheld, in the order of their batches. */
	final List<CompletableFuture<List<RenewalResult>>> withheld = new ArrayList<>();

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
		if (this.withholding) {
			this.withheld.add(new CompletableFuture<>());
			return this.withheld.get(this.withheld.size() - 1);
		}
		return CompletableFuture.completedFuture(answer(renewals, sent));
	}

	/** What was withheld comes now. */
	void answer(int batch) {
		this.withheld.get(batch).complete(answer(this.batches.get(batch), this.clock.now()));
	}

	private List<RenewalResult> answer(List<Renewal> renewals, TimeSource.Instant sent) {
		if (renewals.stream().anyMatch(this.poisoned)) {
			return Collections.nCopies(renewals.size(),
					new RenewalResult.Unknown(new LockBackendException("refused"), true));
		}
		return renewals.stream()
			.<RenewalResult>map((renewal) -> this.gone ? new RenewalResult.Gone(false)
					: new RenewalResult.Extended(this.answer.apply(renewal, Validity.until(sent, renewal.lease()))))
			.toList();
	}

}
