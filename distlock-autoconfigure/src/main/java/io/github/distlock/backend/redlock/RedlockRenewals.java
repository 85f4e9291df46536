package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.redlock.RedlockTicket.WonRound;
import io.github.distlock.backend.redlock.QuorumNode.Extension;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases on a majority. A node that does not hold the claim, since it was down
 * when the claim was made or has lost it, does not take it again: it counts as an answer
 * that the claim is gone.
 */
final class RedlockRenewals {

	private final Quorum quorum;

	private final Duration longestLease;

	private final TimeSource clock;

	RedlockRenewals(Quorum quorum, Duration longestLease, TimeSource clock) {
		this.quorum = quorum;
		this.longestLease = longestLease;
		this.clock = clock;
	}

	List<RenewalResult> renew(List<Renewal> batch, Function<Ticket, @Nullable WonRound> wonRounds) {
		List<@Nullable WonRound> held = new ArrayList<>(batch.size());
		List<Extension> extensions = new ArrayList<>(batch.size());
		for (Renewal renewal : batch) {
			WonRound wonRound = wonRounds.apply(renewal.ticket());
			boolean holds = wonRound != null && !wonRound.isReleasing()
					&& wonRound.grant().lastToken() == renewal.lastToken();
			held.add(holds ? wonRound : null);
			if (wonRound != null && holds) {
				extensions.add(new Extension(wonRound.round().claim(), allowed(renewal)));
			}
		}
		TimeSource.Instant sent = this.clock.now();
		List<RenewalVerdict> verdicts = extensions.isEmpty() ? List.of() : ask(extensions);
		List<RenewalResult> results = new ArrayList<>(batch.size());
		int next = 0;
		for (int i = 0; i < batch.size(); i++) {
			WonRound wonRound = held.get(i);
			results.add((wonRound != null) ? result(wonRound, batch.get(i), verdicts.get(next++), sent)
					: new RenewalResult.Gone());
		}
		return results;
	}

	/**
	 * No claim may last longer than the time after which a restarted node counts again.
	 */
	private Duration allowed(Renewal renewal) {
		return (renewal.lease().compareTo(this.longestLease) < 0) ? renewal.lease() : this.longestLease;
	}

	private RenewalResult result(WonRound wonRound, Renewal renewal, RenewalVerdict verdict, TimeSource.Instant sent) {
		if (verdict.renewed()) {
			Validity validity = Validity.until(sent, Quorum.withoutDrift(allowed(renewal)));
			if (!validity.hasPassed(this.clock)) {
				wonRound.renewed(validity, allowed(renewal));
				return new RenewalResult.Extended(validity);
			}
		}
		if (verdict.gone()) {
			return new RenewalResult.Gone();
		}
		LockBackendException cause = verdict.cause();
		return new RenewalResult.Unknown((cause != null) ? cause : new LockBackendException(
				"Lock '" + renewal.ticket().key() + "' was not renewed by enough nodes within its lease"));
	}

	private List<RenewalVerdict> ask(List<Extension> extensions) {
		try {
			return this.quorum.await(VoteCollector.judge(this.quorum.ask((node) -> node.renew(extensions)),
					(answers) -> judge(answers, extensions)));
		}
		catch (LockBackendException ex) {
			return extensions.stream().map((extension) -> new RenewalVerdict(false, false, ex)).toList();
		}
	}

	private @Nullable List<RenewalVerdict> judge(VoteCollector<List<Boolean>> answers, List<Extension> extensions) {
		List<RenewalVerdict> verdicts = new ArrayList<>(extensions.size());
		for (int i = 0; i < extensions.size(); i++) {
			int lease = i;
			boolean renewed = answers.count((each) -> each.get(lease)) >= this.quorum.majority();
			boolean gone = this.quorum.prevents(answers.count((each) -> !each.get(lease)));
			if (!renewed && !gone && answers.outstanding() > 0) {
				return null;
			}
			verdicts.add(new RenewalVerdict(renewed, gone, (renewed || gone) ? null
					: this.quorum.failure("renewal", extensions.get(i).claim().ticket().key(), answers, (each) -> "")));
		}
		return verdicts;
	}

	private record RenewalVerdict(boolean renewed, boolean gone, @Nullable LockBackendException cause) {
	}

}
