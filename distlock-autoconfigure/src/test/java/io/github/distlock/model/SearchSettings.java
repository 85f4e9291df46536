package io.github.distlock.model;

import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.util.StringUtils;

/**
 * The size of one search, its faults, and the flaw that it must find. Times are ticks.
 */
final class SearchSettings extends StatePart<SearchSettings> {

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

	/** How many JVMs have only scripts. */
	int oldJvms;

	/** How many JVMs, the last ones, get no messages until an inbox comes back. */
	int deafJvms;

	/** Whether these JVMs may not publish either. */
	boolean mute;

	/** How many of these inboxes may come back. */
	int inboxesBack;

	/** The lease of a grant to a ticket that polls, until it asks again. */
	int pollGrace = 2;

	/** For how many ticks such a ticket is refused before it asks for a place. */
	int refusedTicks = 1;

	Set<NetworkFault> kinds = EnumSet.complementOf(EnumSet.of(NetworkFault.DUPLICATE, NetworkFault.FLUSH));

	/**
	 * How many ticks the lock may be free, or granted to no live JVM, while one waits.
	 */
	int maxIdleTicks = 99;

	/** How many times a ticket may attempt again without time passing. */
	int maxRepeats = 6;

	@Nullable Flaw flaw;

	/** Make a copy with changes of the form {@code name=value}. */
	SearchSettings with(String changes) {
		SearchSettings copy = copy();
		DirectFieldAccessor fields = new DirectFieldAccessor(copy);
		for (String change : StringUtils.delimitedListToStringArray(changes, " ")) {
			String[] parts = change.split("=");
			fields.setPropertyValue(parts[0], parts[1]);
		}
		return copy;
	}

	boolean predictsTombstones() {
		return this.attemptsBehindRelease && this.predicts;
	}

	boolean has(Flaw wanted) {
		return this.flaw == wanted;
	}

}
