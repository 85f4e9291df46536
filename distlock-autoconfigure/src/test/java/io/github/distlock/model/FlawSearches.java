package io.github.distlock.model;

import java.util.List;

import static io.github.distlock.model.NamedSearch.quick;

/** Searches of a protocol with one flaw. Each finds it. */
final class FlawSearches {

	private static final SearchSettings TWO = new SearchSettings();

	private static final SearchSettings PUNCTUAL = TWO.slowTicks(0);

	private static final SearchSettings FAULTLESS = TWO.faults(0).giveUps(0);

	private static final SearchSettings BACKGROUND = PUNCTUAL.attemptsBehindRelease().rounds(2).giveUps(0);

	private static final SearchSettings NATIVE = FAULTLESS.slowTicks(0).nativeWords().rounds(2);

	private static final SearchSettings TURNS = FAULTLESS.slowTicks(0).turns(1, 3).threads(2);

	private static final SearchSettings SUCCESSOR = BACKGROUND.rounds(1).threads(2).withoutHandOffs().giveUps(1);

	static final List<NamedSearch> ALL = List.of(search(PUNCTUAL, Flaw.RELEASE_WITHOUT_OWNER_CHECK),
			search(FAULTLESS, Flaw.VALIDITY_FROM_REPLY), search(FAULTLESS.rounds(2), Flaw.RENEWAL_CREATES),
			search(PUNCTUAL, Flaw.NO_RETRY_TIMER), search(PUNCTUAL, Flaw.PUBLISH_BEFORE_WRITE),
			search(PUNCTUAL, Flaw.CANCEL_FORGETS_GRANT),
			search(PUNCTUAL.faults(1, NetworkFault.COPY), Flaw.NO_SECOND_CANCEL),
			search(PUNCTUAL, Flaw.QUEUED_WITHOUT_MARK),
			search(PUNCTUAL.threads(2).giveUps(0).faults(1, NetworkFault.REPLY_LOST), Flaw.LEAVING_TICKET_UNKNOWN),
			search(FAULTLESS.threads(2), Flaw.HAND_OFF_WITHOUT_VALIDITY),
			search(FAULTLESS.slowTicks(0), Flaw.WAITER_SPINS), search(PUNCTUAL, Flaw.ENTRY_LEAKS),
			search(FAULTLESS.slowTicks(3), Flaw.OWN_GRANT_UNCHECKED),
			search(FAULTLESS.slowTicks(2).rounds(2), Flaw.MESSAGE_UNCHECKED),
			search(BACKGROUND.faults(0), Flaw.ATTEMPT_OVERTAKES_RELEASE),
			search(BACKGROUND.faults(1, NetworkFault.REPLY_LOST), Flaw.TICKET_REUSED),
			search(BACKGROUND.faults(1, NetworkFault.COMMAND_LOST), Flaw.RELEASE_NOT_REPEATED),
			search(SUCCESSOR.faults(1, NetworkFault.BROKEN_CONNECTION), Flaw.SUCCESSOR_LEAVES_EARLY),
			search(NATIVE.attemptsBehindRelease(), Flaw.SCRIPT_BEHIND_NATIVE_RELEASE),
			search(NATIVE, Flaw.NATIVE_RELEASE_UNCHECKED), search(NATIVE, Flaw.NATIVE_RELEASE_IGNORES_MARK),
			search(NATIVE.rounds(3), Flaw.ANY_TOMBSTONE_TAKEN),
			search(NATIVE.faults(1, NetworkFault.COPY), Flaw.TOMBSTONE_RESTORED), search(TURNS, Flaw.TURN_WITHOUT_END),
			search(TURNS.turns(1, 1), Flaw.SUCCESSOR_GRANTED_FIRST));

	private FlawSearches() {
	}

	private static NamedSearch search(SearchSettings settings, Flaw flaw) {
		return quick(flaw.name(), settings.flaw(flaw));
	}

}
