package io.github.distlock.model;

import java.util.List;

import static io.github.distlock.model.NamedSearch.quick;
import static io.github.distlock.model.NamedSearch.thorough;

/** Searches of kept locks: the protocol, and the same with one flaw. */
final class KeepSearches {

	private static final int LONG = 9;

	private static final SearchSettings TWO = new SearchSettings().keep(2);

	private static final SearchSettings PUNCTUAL = TWO.slowTicks(0);

	private static final SearchSettings FAULTLESS = PUNCTUAL.faults(0).giveUps(0);

	private static final SearchSettings OFTEN = TWO.rounds(2).tokensPerGrant(3);

	static final List<NamedSearch> ALL = List.of(quick("kept: no fault", PUNCTUAL.faults(0).maxIdleTicks(1)),
			thorough("kept: one fault, one delay", TWO.maxIdleTicks(2).maxKeptTicks(1)),
			thorough("kept for long: one fault, one delay", TWO.keep(LONG).maxIdleTicks(2).maxKeptTicks(1)),
			thorough("kept for long: unordered connection",
					TWO.keep(LONG).giveUps(0).unordered().maxIdleTicks(2).maxKeptTicks(1)),
			thorough("kept for long: the inbox is interrupted",
					TWO.keep(LONG).faults(1, NetworkFault.INBOX_LOST).maxIdleTicks(2)),
			thorough("kept: two faults", PUNCTUAL.faults(2).maxIdleTicks(3).maxKeptTicks(2)),
			thorough("kept: two rounds, no fault, one delay", OFTEN.faults(0).maxIdleTicks(2)),
			thorough("kept: two rounds, no fault, two delays", OFTEN.faults(0).giveUps(0).slowTicks(2).maxIdleTicks(2)),
			thorough("kept: two rounds, one fault", OFTEN.slowTicks(0).giveUps(0).maxIdleTicks(2).maxKeptTicks(1)),
			thorough("kept: two threads each, one fault",
					PUNCTUAL.threads(2).giveUps(0).maxIdleTicks(3).maxKeptTicks(1)),
			thorough("kept: three JVMs, no fault", PUNCTUAL.jvms(3).faults(0).maxIdleTicks(1)),
			thorough("kept: three JVMs, one fault", PUNCTUAL.jvms(3).giveUps(0).maxIdleTicks(3).maxKeptTicks(1)),
			thorough("kept: a duplicated command",
					TWO.faults(1, NetworkFault.DUPLICATE).maxIdleTicks(3).maxKeptTicks(1)),
			thorough("kept: lost data", TWO.keep(LONG).faults(1, NetworkFault.FLUSH).maxIdleTicks(3).maxKeptTicks(1)),
			thorough("kept: a JVM shuts down", PUNCTUAL.keep(LONG).shutdowns(1).maxIdleTicks(2).maxKeptTicks(1)),
			thorough("kept: attempts behind releases, one fault",
					OFTEN.slowTicks(0).giveUps(0).attemptsBehindRelease().maxIdleTicks(3).maxKeptTicks(1)),
			thorough("kept: attempts behind releases, one delay",
					OFTEN.faults(0).giveUps(0).attemptsBehindRelease().maxIdleTicks(2)),
			thorough("kept: native commands, one fault",
					OFTEN.slowTicks(0).giveUps(0).nativeWords().maxIdleTicks(3).maxKeptTicks(1)),
			thorough("kept: a JVM of the version before", TWO.oldJvms(1).maxIdleTicks(3).maxKeptTicks(2)),
			quick("kept: one try each, no fault", PUNCTUAL.tries(1).faults(0).giveUps(0).maxIdleTicks(1)),
			thorough("kept: one try each, one give-up", PUNCTUAL.tries(1).faults(0).maxIdleTicks(1)),
			thorough("kept: one try each, one delay", TWO.tries(1).faults(0).giveUps(0).maxIdleTicks(2)),
			thorough("kept: one try each, one fault", PUNCTUAL.tries(1).giveUps(0).maxIdleTicks(3).maxKeptTicks(1)));

	static final List<NamedSearch> FLAWED = List.of(search(FAULTLESS, Flaw.REQUEST_IGNORED),
			search(PUNCTUAL.keep(LONG).faults(1, NetworkFault.MESSAGE_LOST).giveUps(0).maxKeptTicks(1),
					Flaw.REQUESTED_ONCE),
			search(FAULTLESS, Flaw.RELEASED_WHILE_HELD), search(FAULTLESS, Flaw.KEPT_AFTER_REQUEST),
			search(FAULTLESS, Flaw.KEEPABLE_COPIED),
			slow(FAULTLESS.rounds(2).tokensPerGrant(3).jvms(3), Flaw.KEPT_WITH_WAITERS),
			search(FAULTLESS.keep(LONG).rounds(2).tokensPerGrant(3), Flaw.KEPT_WITHOUT_VALIDITY),
			search(FAULTLESS.rounds(3), Flaw.KEPT_BEYOND_TOKENS), search(FAULTLESS, Flaw.KEPT_FOR_EVER),
			search(FAULTLESS, Flaw.KEPT_GRANT_FORGOTTEN),
			search(FAULTLESS.rounds(2).tokensPerGrant(3), Flaw.KEPT_WHILE_RELEASED),
			slow(FAULTLESS.keep(LONG).slowTicks(2).rounds(2).tokensPerGrant(3).maxKeptTicks(LONG),
					Flaw.KEPT_TICKET_UNKNOWN),
			search(PUNCTUAL.keep(LONG).faults(1, NetworkFault.INBOX_LOST).giveUps(0), Flaw.KEPT_AFTER_RECONNECT),
			search(FAULTLESS.keep(LONG).shutdowns(1), Flaw.KEPT_AT_SHUTDOWN),
			search(FAULTLESS.tries(1), Flaw.TRY_WITHOUT_REQUEST), search(FAULTLESS.tries(1), Flaw.REFUSED_WHILE_KEPT));

	private KeepSearches() {
	}

	private static NamedSearch search(SearchSettings settings, Flaw flaw) {
		return quick(flaw.name(), settings.flaw(flaw));
	}

	private static NamedSearch slow(SearchSettings settings, Flaw flaw) {
		return thorough(flaw.name(), settings.flaw(flaw));
	}

}
