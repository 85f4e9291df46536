package io.github.distlock.model;

import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The size of one search, its faults, and the flaw that it must find. Times are ticks.
 */
final class SearchSettings implements Cloneable {

	int jvms = 2;

	/** More than one with fair callers, each of which has a ticket of its own. */
	int entriesPerJvm = 1;

	/** Threads of each entry that use the lock at the same time. */
	int threads = 1;

	/** How many times each thread uses the lock. */
	int rounds = 1;

	/** How many times a grant may be handed off. */
	int handOffs = 1;

	/**
	 * How many ticks after its grant a JVM may still hand the lock off. Zero means that
	 * only the hand-offs are limited, and that overtaking is not counted.
	 */
	int turnTicks;

	int tokensPerGrant = 2;

	int lease = 3;

	/** The lease of a grant by message until it is confirmed. */
	int grace = 2;

	/** The longest interval between two attempts of a waiting ticket. */
	int retryInterval = 1;

	int tombstone = 1;

	int queueLifetime = 4;

	/** Fencing tokens in one tick: the clock is faster than grants use tokens. */
	int tokensPerTick = 1000;

	/** Whether the number of receivers of a message tells that a JVM is dead. */
	boolean countedReceivers = true;

	/** Whether commands of an entry are executed in the order in which they were sent. */
	boolean ordered = true;

	/**
	 * Whether the next attempt of a JVM follows its release at once. Otherwise it waits
	 * for the answer.
	 */
	boolean attemptsBehindRelease;

	/** Whether clients send native commands before scripts. */
	boolean nativeWords;

	/** Whether clients attempt natively although a native release is not answered. */
	private boolean predicts = true;

	boolean renewals = true;

	int faults = 1;

	/** Ticks that may pass although a command, a reply or a thread is due. */
	int slowTicks = 1;

	int giveUps = 1;

	/** How many ticks a lock is kept after its last holder; zero means not at all. */
	int keepTicks;

	/** How many times a thread of each entry tries once. */
	int tries;

	/** How many JVMs shut down. */
	int shutdowns;

	/** How many JVMs are of a version that neither keeps locks nor asks for them. */
	int oldJvms;

	/** How many ticks a thread of another JVM may wait for a lock that is only kept. */
	int maxKeptTicks;

	Set<NetworkFault> kinds = EnumSet.complementOf(EnumSet.of(NetworkFault.DUPLICATE, NetworkFault.FLUSH));

	/**
	 * How many ticks the lock may be free, or granted to no live JVM, while one waits.
	 */
	int maxIdleTicks = 99;

	/** How many times a ticket may attempt again without time passing. */
	int maxRepeats = 6;

	@Nullable Flaw flaw;

	private SearchSettings changed(java.util.function.Consumer<SearchSettings> change) {
		try {
			SearchSettings copy = (SearchSettings) clone();
			change.accept(copy);
			return copy;
		}
		catch (CloneNotSupportedException ex) {
			throw new AssertionError(ex);
		}
	}

	SearchSettings jvms(int count) {
		return changed((copy) -> copy.jvms = count);
	}

	/** Let each JVM have several fair callers. */
	SearchSettings fairCallers(int perJvm) {
		return changed((copy) -> {
			copy.entriesPerJvm = perJvm;
			copy.handOffs = 0;
			copy.tokensPerGrant = 1;
		});
	}

	SearchSettings threads(int perEntry) {
		return changed((copy) -> copy.threads = perEntry);
	}

	SearchSettings rounds(int count) {
		return changed((copy) -> copy.rounds = count);
	}

	/** A turn is bounded by time, and by tokens. */
	SearchSettings turns(int ticks, int tokens) {
		return changed((copy) -> {
			copy.turnTicks = ticks;
			copy.tokensPerGrant = tokens;
			copy.handOffs = tokens;
		});
	}

	SearchSettings withoutHandOffs() {
		return changed((copy) -> {
			copy.handOffs = 0;
			copy.tokensPerGrant = 1;
		});
	}

	SearchSettings retryInterval(int ticks) {
		return changed((copy) -> copy.retryInterval = ticks);
	}

	SearchSettings uncountedReceivers() {
		return changed((copy) -> copy.countedReceivers = false);
	}

	SearchSettings unordered() {
		return changed((copy) -> copy.ordered = false);
	}

	/** The connection keeps order, so the next attempt follows the release at once. */
	SearchSettings attemptsBehindRelease() {
		return changed((copy) -> copy.attemptsBehindRelease = true);
	}

	/** The server has native commands; tombstones last long enough to be taken again. */
	SearchSettings nativeWords() {
		return changed((copy) -> {
			copy.nativeWords = true;
			copy.tombstone = 2;
		});
	}

	/** A client replaces only a tombstone that it knows to be written. */
	SearchSettings withoutPrediction() {
		return changed((copy) -> copy.predicts = false);
	}

	boolean predictsTombstones() {
		return this.attemptsBehindRelease && this.predicts;
	}

	SearchSettings withoutRenewals() {
		return changed((copy) -> copy.renewals = false);
	}

	SearchSettings faults(int count, NetworkFault... only) {
		return changed((copy) -> {
			copy.faults = count;
			if (only.length > 0) {
				copy.kinds = EnumSet.of(only[0], only);
			}
		});
	}

	SearchSettings slowTicks(int count) {
		return changed((copy) -> copy.slowTicks = count);
	}

	SearchSettings giveUps(int count) {
		return changed((copy) -> copy.giveUps = count);
	}

	/** Keep locks after their last holder. */
	SearchSettings keep(int ticks) {
		return changed((copy) -> copy.keepTicks = ticks);
	}

	SearchSettings tries(int perEntry) {
		return changed((copy) -> copy.tries = perEntry);
	}

	SearchSettings shutdowns(int count) {
		return changed((copy) -> copy.shutdowns = count);
	}

	SearchSettings oldJvms(int count) {
		return changed((copy) -> copy.oldJvms = count);
	}

	SearchSettings maxKeptTicks(int ticks) {
		return changed((copy) -> copy.maxKeptTicks = ticks);
	}

	SearchSettings tokensPerGrant(int count) {
		return changed((copy) -> copy.tokensPerGrant = count);
	}

	SearchSettings maxIdleTicks(int ticks) {
		return changed((copy) -> copy.maxIdleTicks = ticks);
	}

	SearchSettings flaw(Flaw wanted) {
		return changed((copy) -> copy.flaw = wanted);
	}

	boolean has(Flaw wanted) {
		return this.flaw == wanted;
	}

}
