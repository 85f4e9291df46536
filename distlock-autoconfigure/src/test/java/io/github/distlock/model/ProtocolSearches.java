package io.github.distlock.model;

import java.util.List;

import static io.github.distlock.model.NamedSearch.quick;
import static io.github.distlock.model.NamedSearch.thorough;

/** Searches of the protocol as it is implemented. All properties hold in each of them. */
final class ProtocolSearches {

	private static final SearchSettings TWO = new SearchSettings();

	private static final SearchSettings PUNCTUAL = TWO.slowTicks(0);

	private static final SearchSettings FAIR = PUNCTUAL.fairCallers(2);

	private static final SearchSettings BACKGROUND = PUNCTUAL.attemptsBehindRelease().rounds(2).giveUps(0);

	private static final SearchSettings NATIVE = PUNCTUAL.nativeWords().rounds(2).giveUps(0);

	private static final SearchSettings NATIVE_BACKGROUND = NATIVE.attemptsBehindRelease();

	private static final SearchSettings TURNS = PUNCTUAL.faults(0).giveUps(0).turns(1, 3).threads(2);

	private static final SearchSettings SUCCESSOR = BACKGROUND.rounds(1).threads(2).withoutHandOffs();

	static final List<NamedSearch> ALL = List.of(
			// Two JVMs with one thread each
			quick("one fault, unordered connection", PUNCTUAL.unordered().maxIdleTicks(2)),
			thorough("one fault, one delay", TWO.maxIdleTicks(2)),
			thorough("one fault, one delay, unordered connection", TWO.unordered().maxIdleTicks(2)),
			thorough("one fault, one delay, two rounds", TWO.rounds(2).giveUps(0).maxIdleTicks(2)),
			thorough("two faults", PUNCTUAL.faults(2).maxIdleTicks(3)),
			thorough("two faults, one delay", TWO.faults(2).maxIdleTicks(3)),
			thorough("three faults", PUNCTUAL.faults(3).maxIdleTicks(4)),
			thorough("a duplicated command that no client knows of",
					TWO.faults(1, NetworkFault.DUPLICATE).maxIdleTicks(3)),
			thorough("lost data", TWO.faults(1, NetworkFault.FLUSH).maxIdleTicks(3)),
			// Several threads, several JVMs
			quick("two threads each, no fault", PUNCTUAL.threads(2).faults(0).giveUps(0).maxIdleTicks(1)),
			thorough("two threads each, one fault", PUNCTUAL.threads(2).maxIdleTicks(3)),
			thorough("two threads each, two delays", TWO.threads(2).faults(0).slowTicks(2).maxIdleTicks(3)),
			thorough("two threads each, one fault, one delay", TWO.threads(2).giveUps(0).maxIdleTicks(3)),
			quick("three JVMs, no fault", PUNCTUAL.jvms(3).faults(0).giveUps(0).maxIdleTicks(1)),
			thorough("three JVMs, no fault, a waiter gives up", PUNCTUAL.jvms(3).faults(0).maxIdleTicks(1)),
			thorough("three JVMs, one fault", PUNCTUAL.jvms(3).maxIdleTicks(3)),
			thorough("three JVMs, one fault, one delay", TWO.jvms(3).giveUps(0).maxIdleTicks(4)),
			thorough("three JVMs, two faults", PUNCTUAL.jvms(3).faults(2).maxIdleTicks(4)),
			// A cluster, in which receivers cannot be counted
			quick("uncounted receivers, one fault", PUNCTUAL.uncountedReceivers().maxIdleTicks(3)),
			thorough("uncounted receivers, one fault, one delay", TWO.uncountedReceivers().maxIdleTicks(3)),
			thorough("uncounted receivers, two faults", PUNCTUAL.uncountedReceivers().faults(2).maxIdleTicks(4)),
			thorough("uncounted receivers, two threads each", PUNCTUAL.uncountedReceivers().threads(2).maxIdleTicks(3)),
			thorough("uncounted receivers, three JVMs", PUNCTUAL.uncountedReceivers().jvms(3).maxIdleTicks(4)),
			// Fair callers
			thorough("fair callers, no fault", FAIR.faults(0).giveUps(0).maxIdleTicks(1)),
			thorough("fair callers, a JVM dies",
					FAIR.faults(1, NetworkFault.CRASH).giveUps(0).withoutRenewals().maxIdleTicks(3)),
			thorough("fair callers, one fault", FAIR.giveUps(0).withoutRenewals().maxIdleTicks(6)),
			thorough("fair callers, one fault, uncounted receivers",
					FAIR.giveUps(0).withoutRenewals().uncountedReceivers().maxIdleTicks(6)),
			// Background release: the next attempt follows the release at once
			quick("attempt behind release, no fault", BACKGROUND.faults(0).maxIdleTicks(1)),
			thorough("attempt behind release, one fault", BACKGROUND.maxIdleTicks(2)),
			thorough("attempt behind release, one delay", BACKGROUND.faults(0).slowTicks(1).maxIdleTicks(2)),
			thorough("attempt behind release, broken connection, a waiter gives up",
					BACKGROUND.faults(1, NetworkFault.BROKEN_CONNECTION).giveUps(1).maxIdleTicks(3)),
			thorough("attempt behind release, two lost commands or replies",
					BACKGROUND.faults(2, NetworkFault.COMMAND_LOST, NetworkFault.REPLY_LOST).maxIdleTicks(3)),
			thorough("attempt behind release, release with a successor",
					SUCCESSOR.faults(1, NetworkFault.BROKEN_CONNECTION, NetworkFault.COPY).maxIdleTicks(3)),
			thorough("attempt behind release, successor that gives up",
					SUCCESSOR.faults(1, NetworkFault.BROKEN_CONNECTION).giveUps(1).maxIdleTicks(3)),
			thorough("attempt behind release, three JVMs", BACKGROUND.jvms(3).rounds(1).threads(1).maxIdleTicks(4)),
			// Background release without order: the next attempt waits for the answer
			thorough("unordered connection, one fault, two rounds",
					PUNCTUAL.unordered().rounds(2).giveUps(0).maxIdleTicks(2)),
			// Native commands, mixed with scripts
			quick("native commands, no fault", NATIVE.faults(0).maxIdleTicks(1)),
			thorough("native commands, no fault, a waiter gives up", NATIVE.faults(0).giveUps(1).maxIdleTicks(1)),
			thorough("native commands, one fault", NATIVE.maxIdleTicks(2)),
			thorough("native commands, one delay", NATIVE.faults(0).slowTicks(1).maxIdleTicks(2)),
			thorough("native commands, a duplicated command", NATIVE.faults(1, NetworkFault.DUPLICATE).maxIdleTicks(3)),
			thorough("native commands, broken connection, unordered",
					NATIVE.unordered().faults(1, NetworkFault.BROKEN_CONNECTION).maxIdleTicks(2)),
			thorough("native commands, two threads each, copies",
					NATIVE.rounds(1).threads(2).faults(1, NetworkFault.COPY, NetworkFault.DUPLICATE).maxIdleTicks(3)),
			thorough("native commands, a JVM that has only scripts", NATIVE.oldJvms(1).maxIdleTicks(2)),
			// Native commands, and background release
			quick("native commands, attempt behind release, no fault", NATIVE_BACKGROUND.faults(0).maxIdleTicks(1)),
			thorough("native commands, attempt behind release, no fault, a waiter gives up",
					NATIVE_BACKGROUND.faults(0).giveUps(1).maxIdleTicks(1)),
			thorough("native commands, attempt behind release, one fault", NATIVE_BACKGROUND.maxIdleTicks(2)),
			thorough("native commands, attempt behind release, one delay",
					NATIVE_BACKGROUND.faults(0).slowTicks(1).maxIdleTicks(2)),
			thorough("native commands, attempt behind release, two lost commands or replies",
					NATIVE_BACKGROUND.faults(2, NetworkFault.COMMAND_LOST, NetworkFault.REPLY_LOST).maxIdleTicks(3)),
			thorough("native commands, attempt behind release, a duplicated command",
					NATIVE_BACKGROUND.faults(1, NetworkFault.DUPLICATE).maxIdleTicks(3)),
			thorough("native commands, attempt behind release, two threads each, copies",
					NATIVE_BACKGROUND.rounds(1)
						.threads(2)
						.faults(1, NetworkFault.COPY, NetworkFault.DUPLICATE)
						.maxIdleTicks(3)),
			thorough("native commands, attempt behind release, a JVM that has only scripts",
					NATIVE_BACKGROUND.oldJvms(1).maxIdleTicks(2)),
			thorough("native commands, attempt behind answered release, one fault",
					NATIVE_BACKGROUND.withoutPrediction().maxIdleTicks(2)),
			// Turns that are bounded by time
			quick("turns, one hand-off", TURNS.turns(1, 2).withoutRenewals().maxIdleTicks(1)),
			thorough("turns, three JVMs", TURNS.jvms(3).threads(1).maxIdleTicks(1)),
			thorough("turns, two threads each", TURNS.maxIdleTicks(1)),
			thorough("turns of two ticks, three threads each", TURNS.turns(2, 3).threads(3).maxIdleTicks(1)),
			thorough("turns, three JVMs, two rounds",
					TURNS.turns(1, 2).jvms(3).threads(1).rounds(2).withoutRenewals().maxIdleTicks(1)));

	private ProtocolSearches() {
	}

}
