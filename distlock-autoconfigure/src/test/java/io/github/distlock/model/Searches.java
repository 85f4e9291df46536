package io.github.distlock.model;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The searches of the protocol as it is implemented, in which all properties hold, and of
 * the protocol with one flaw, each of which finds it. Each row has a name and what
 * differs from the {@link SearchSettings}: first the name of settings that it begins
 * with, if any.
 */
final class Searches {

	/** What several searches begin with. */
	private static final String SETTINGS = """
			PUNCTUAL | slowTicks=0
			FAULTLESS | faults=0 giveUps=0
			FAIR | PUNCTUAL entriesPerJvm=2 handOffs=0 tokensPerGrant=1
			BACKGROUND | PUNCTUAL attemptsBehindRelease=true rounds=2 giveUps=0
			SUCCESSOR | BACKGROUND rounds=1 threads=2 handOffs=0 tokensPerGrant=1
			NATIVE | PUNCTUAL nativeWords=true tombstone=2 rounds=2 giveUps=0
			NATIVE_BACKGROUND | NATIVE attemptsBehindRelease=true
			DEAF | PUNCTUAL deafJvms=1 giveUps=0
			DEAF_TURNS | PUNCTUAL faults=0 giveUps=0 turnTicks=1 tokensPerGrant=2 handOffs=1 threads=1 rounds=2 deafJvms=1
			TURNS | PUNCTUAL faults=0 giveUps=0 turnTicks=1 tokensPerGrant=3 handOffs=3 threads=2
			""";

	/** Those that begin with {@code quick} belong to each build. */
	private static final String PROTOCOL = """
			-- Two JVMs with one thread each
			quick one fault, unordered connection | PUNCTUAL ordered=false maxIdleTicks=2
			one fault, one delay | maxIdleTicks=2
			one fault, one delay, unordered connection | ordered=false maxIdleTicks=2
			one fault, one delay, two rounds | rounds=2 giveUps=0 maxIdleTicks=2
			two faults | PUNCTUAL faults=2 maxIdleTicks=3
			two faults, one delay | faults=2 maxIdleTicks=3
			three faults | PUNCTUAL faults=3 maxIdleTicks=4
			a duplicated command that no client knows of | faults=1 kinds=DUPLICATE maxIdleTicks=3
			lost data | faults=1 kinds=FLUSH maxIdleTicks=3
			-- Several threads, several JVMs
			quick two threads each, no fault | PUNCTUAL threads=2 faults=0 giveUps=0 maxIdleTicks=1
			two threads each, one fault | PUNCTUAL threads=2 maxIdleTicks=3
			two threads each, two delays | threads=2 faults=0 slowTicks=2 maxIdleTicks=3
			two threads each, one fault, one delay | threads=2 giveUps=0 maxIdleTicks=3
			quick three JVMs, no fault | PUNCTUAL jvms=3 faults=0 giveUps=0 maxIdleTicks=1
			three JVMs, no fault, a waiter gives up | PUNCTUAL jvms=3 faults=0 maxIdleTicks=1
			three JVMs, one fault | PUNCTUAL jvms=3 maxIdleTicks=3
			three JVMs, one fault, one delay | jvms=3 giveUps=0 maxIdleTicks=4
			three JVMs, two faults | PUNCTUAL jvms=3 faults=2 maxIdleTicks=4
			-- A cluster, in which receivers cannot be counted
			quick uncounted receivers, one fault | PUNCTUAL countedReceivers=false maxIdleTicks=3
			uncounted receivers, one fault, one delay | countedReceivers=false maxIdleTicks=3
			uncounted receivers, two faults | PUNCTUAL countedReceivers=false faults=2 maxIdleTicks=4
			uncounted receivers, two threads each | PUNCTUAL countedReceivers=false threads=2 maxIdleTicks=3
			uncounted receivers, three JVMs | PUNCTUAL countedReceivers=false jvms=3 maxIdleTicks=4
			-- Fair callers
			fair callers, no fault | FAIR faults=0 giveUps=0 maxIdleTicks=1
			fair callers, a JVM dies | FAIR faults=1 kinds=CRASH giveUps=0 renewals=false maxIdleTicks=3
			fair callers, one fault | FAIR giveUps=0 renewals=false maxIdleTicks=6
			fair callers, one fault, uncounted receivers | FAIR giveUps=0 renewals=false countedReceivers=false maxIdleTicks=6
			-- Background release: the next attempt follows the release at once
			quick attempt behind release, no fault | BACKGROUND faults=0 maxIdleTicks=1
			attempt behind release, one fault | BACKGROUND maxIdleTicks=2
			attempt behind release, one delay | BACKGROUND faults=0 slowTicks=1 maxIdleTicks=2
			attempt behind release, broken connection, a waiter gives up | BACKGROUND faults=1 kinds=BROKEN_CONNECTION giveUps=1 maxIdleTicks=3
			attempt behind release, two lost commands or replies | BACKGROUND faults=2 kinds=COMMAND_LOST,REPLY_LOST maxIdleTicks=3
			attempt behind release, release with a successor | SUCCESSOR faults=1 kinds=COPY,BROKEN_CONNECTION maxIdleTicks=3
			attempt behind release, successor that gives up | SUCCESSOR faults=1 kinds=BROKEN_CONNECTION giveUps=1 maxIdleTicks=3
			attempt behind release, three JVMs | BACKGROUND jvms=3 rounds=1 threads=1 maxIdleTicks=4
			-- Background release without order: the next attempt waits for the answer
			unordered connection, one fault, two rounds | PUNCTUAL ordered=false rounds=2 giveUps=0 maxIdleTicks=2
			-- Native commands, mixed with scripts
			quick native commands, no fault | NATIVE faults=0 maxIdleTicks=1
			native commands, no fault, a waiter gives up | NATIVE faults=0 giveUps=1 maxIdleTicks=1
			native commands, one fault | NATIVE maxIdleTicks=2
			native commands, one delay | NATIVE faults=0 slowTicks=1 maxIdleTicks=2
			native commands, a duplicated command | NATIVE faults=1 kinds=DUPLICATE maxIdleTicks=3
			native commands, broken connection, unordered | NATIVE ordered=false faults=1 kinds=BROKEN_CONNECTION maxIdleTicks=2
			native commands, two threads each, copies | NATIVE rounds=1 threads=2 faults=1 kinds=COPY,DUPLICATE maxIdleTicks=3
			native commands, a JVM that has only scripts | NATIVE oldJvms=1 maxIdleTicks=2
			-- Native commands, and background release
			quick native commands, attempt behind release, no fault | NATIVE_BACKGROUND faults=0 maxIdleTicks=1
			native commands, attempt behind release, no fault, a waiter gives up | NATIVE_BACKGROUND faults=0 giveUps=1 maxIdleTicks=1
			native commands, attempt behind release, one fault | NATIVE_BACKGROUND maxIdleTicks=2
			native commands, attempt behind release, one delay | NATIVE_BACKGROUND faults=0 slowTicks=1 maxIdleTicks=2
			native commands, attempt behind release, two lost commands or replies | NATIVE_BACKGROUND faults=2 kinds=COMMAND_LOST,REPLY_LOST maxIdleTicks=3
			native commands, attempt behind release, a duplicated command | NATIVE_BACKGROUND faults=1 kinds=DUPLICATE maxIdleTicks=3
			native commands, attempt behind release, two threads each, copies | NATIVE_BACKGROUND rounds=1 threads=2 faults=1 kinds=COPY,DUPLICATE maxIdleTicks=3
			native commands, attempt behind release, a JVM that has only scripts | NATIVE_BACKGROUND oldJvms=1 maxIdleTicks=2
			native commands, attempt behind answered release, one fault | NATIVE_BACKGROUND predicts=false maxIdleTicks=2
			-- A JVM that gets no messages
			quick without messages, no fault | DEAF faults=0 giveUps=1 maxIdleTicks=1
			quick without messages, one fault | DEAF maxIdleTicks=3
			quick without messages, turns | DEAF_TURNS maxIdleTicks=1
			without messages, one fault, a waiter gives up | DEAF giveUps=1 maxIdleTicks=3
			without messages, one fault, one delay | DEAF slowTicks=1 maxIdleTicks=3
			without messages, two faults | DEAF faults=2 maxIdleTicks=4
			without messages, copies, unordered | DEAF ordered=false faults=2 kinds=COPY,BROKEN_CONNECTION giveUps=1 maxIdleTicks=3
			without messages, the inbox comes back, one fault, one delay | DEAF inboxesBack=1 slowTicks=1 maxIdleTicks=3
			without messages and without the right to publish, one fault | DEAF mute=true rounds=2 maxIdleTicks=3
			without messages, all JVMs, one fault | DEAF deafJvms=2 rounds=2 maxIdleTicks=3
			without messages, two threads each, one fault | DEAF threads=2 maxIdleTicks=3
			without messages, three JVMs, one fault | DEAF jvms=3 maxIdleTicks=4
			without messages, two of three JVMs, one fault | DEAF jvms=3 deafJvms=2 maxIdleTicks=4
			without messages, fair callers, a JVM dies | FAIR deafJvms=1 faults=1 kinds=CRASH giveUps=0 renewals=false maxIdleTicks=4
			without messages, attempt behind release, one fault | BACKGROUND deafJvms=1 maxIdleTicks=3
			without messages, native commands, attempt behind release, one fault | NATIVE_BACKGROUND deafJvms=1 rounds=1 maxIdleTicks=3
			without messages, turns, three JVMs | DEAF_TURNS jvms=3 rounds=1 maxIdleTicks=1
			-- Turns that are bounded by time
			quick turns, one hand-off | TURNS turnTicks=1 tokensPerGrant=2 handOffs=2 renewals=false maxIdleTicks=1
			turns, three JVMs | TURNS jvms=3 threads=1 maxIdleTicks=1
			turns, two threads each | TURNS maxIdleTicks=1
			turns of two ticks, three threads each | TURNS turnTicks=2 tokensPerGrant=3 handOffs=3 threads=3 maxIdleTicks=1
			turns, three JVMs, two rounds | TURNS turnTicks=1 tokensPerGrant=2 handOffs=2 jvms=3 threads=1 rounds=2 renewals=false maxIdleTicks=1
			""";

	private static final Map<String, SearchSettings> BY_NAME = new HashMap<>();

	static {
		SETTINGS.lines().map((row) -> row.split(" \\| ")).forEach((row) -> BY_NAME.put(row[0], settings(row[1])));
	}

	private Searches() {
	}

	static List<NamedSearch> ofTheProtocol() {
		return PROTOCOL.lines().filter((row) -> !row.startsWith("--")).map(Searches::search).toList();
	}

	static List<NamedSearch> ofFlaws() {
		return Arrays.stream(Flaw.values())
			.map((flaw) -> new NamedSearch(flaw.name(), settings(flaw.search + " flaw=" + flaw), true))
			.toList();
	}

	private static NamedSearch search(String row) {
		String[] cells = row.split(" \\| ");
		return new NamedSearch(cells[0].replaceFirst("^quick ", ""), settings(cells[1]), row.startsWith("quick "));
	}

	private static SearchSettings settings(String words) {
		String first = words.split(" ")[0];
		SearchSettings named = BY_NAME.get(first);
		return (named != null) ? named.with(words.substring(first.length()).strip()) : new SearchSettings().with(words);
	}

}
