package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * An election that was won: the lock is held, and sometime left.
 */
final class WonRound {

	private final LockRound election;

	private final long firstToken;

	private final long lastToken;

	private volatile Validity validity;

	private volatile Duration lease;

	private final AtomicReference<@Nullable RoundRelease> departure = new AtomicReference<>();

	WonRound(LockRound election, long firstToken, long lastToken, Validity validity) {
		this.election = election;
		this.firstToken = firstToken;
		this.lastToken = lastToken;
		this.validity = validity;
		this.lease = election.lease();
	}

	LockRound election() {
		return this.election;
	}

	Grant grant() {
		return new Grant(this.firstToken, this.lastToken, this.validity);
	}

	void renewed(Validity until, Duration newLease) {
		this.validity = until;
		if (newLease.compareTo(this.lease) > 0) {
			this.lease = newLease;
		}
	}

	/** How long a node may hold the claim from now on. */
	Duration lease() {
		return this.lease;
	}

	/** The last token that was used, as far as is known. */
	long used(long told) {
		return (told >= this.firstToken && told <= this.lastToken) ? told : this.lastToken;
	}

	boolean isLeaving() {
		return this.departure.get() != null;
	}

	/** Leave, once: who asks again hears of the same departure. */
	RoundRelease leave(Supplier<RoundRelease> prepared) {
		RoundRelease begun = this.departure.get();
		if (begun == null) {
			RoundRelease mine = prepared.get();
			begun = this.departure.compareAndSet(null, mine) ? mine.begin() : this.departure.get();
		}
		if (begun == null) {
			throw new IllegalStateException("A departure was forgotten");
		}
		return begun;
	}

}
