package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules, on histories that they must accept and histories that they must reject. The
 * first line of each is its name; after each arrow stands the rule that is broken by
 * then, if any is. {@link TestHistory} describes the steps.
 */
class RulesTests {

	private static final String SAFETY = """
			one after the other are accepted
			  w0#1 stays 0 50 10; w1#1 stays 51 90 11; w0#2 stays 95 2000 12 =>
			several entries under one grant are accepted
			  w0#1 stays 0 50 10; w0#2 stays 51 90 11; w0#3 stays 91 120 12 =>
			two at the same time are rejected
			  w0#1 stays 0 50 10; w1#1 stays 49 90 11 => S1
			two keys at the same time are two locks
			  w0#1 stays 0 50 10; w1 10 START a=1 key=other lease=1000; w1 10 GRANTED a=1 token=11 rem=1000 =>
			a long stay that overlaps with later ones is rejected
			  w0#1 stays 0 500 10; w1#1 stays 100 110 11; w2#1 stays 120 130 12 => S1
			two at the same time are accepted after the store lost its data
			  w0#1 stays 0 50 10; losesData 20; w1#1 stays 30 90 11 =>
			a lock that was lost may still be passed on inside its JVM
			  w0#1 stays 0 40 10; losesData 20; w1#1 stays 30 90 50
			  w0#2 waits 25; w0#2 enters 41 11; w0#2 leaves 60 lost =>
			a grant after the loss excludes all later ones
			  w0#1 stays 0 19 10; losesData 20; w1#1 stays 30 90 50
			  w0#2 waits 25; w0#2 enters 41 51; w0#2 leaves 60 ok => S1
			data that was lost before the first or after the second excuses nothing
			  losesData -5; w0#1 stays 0 50 10; w1#1 stays 30 90 11; losesData 40 => S1
			a holder past its deadline does not exclude others
			  w0#1 waits 0; w0#1 enters 0 10; w1#1 stays 1100 1200 11; w0#1 leaves 1500 lost =>
			a holder whose lease was renewed excludes others
			  w0#1 waits 0; w0#1 enters 0 10; w0 900 CHECK a=1 rem=800
			  w1#1 stays 1100 1200 11; w0#1 leaves 1500 lost => S1
			a release without complaint says that the lock was held until then
			  w0#1 waits 0; w0#1 enters 0 10; w1#1 stays 1100 1200 11; w0#1 leaves 1500 ok => S1
			a holder that was told of the end of its session does not exclude others
			  store 0 ENDS_EARLY store=k
			  w0#1 waits 1; w0#1 enters 1 10; w0 900 CHECK a=1 rem=800; w0 950 CHECK a=1 rem=0
			  w1#1 stays 951 1200 11; w0#1 leaves 1500 lost =>
			a lock excludes others until its holder is told that its session has ended
			  store 0 ENDS_EARLY store=k
			  w0#1 waits 1; w0#1 enters 1 10; w0 900 CHECK a=1 rem=800; w0 960 CHECK a=1 rem=0
			  w1#1 stays 951 1200 11; w0#1 leaves 1500 lost => S1
			a holder that was killed keeps the lock for its lease
			  w0#1 waits 0; w0#1 enters 0 10; dies w0 20; w1#1 stays 500 600 11 => S1
			a token that is not higher is rejected
			  w0#1 stays 0 50 10; w1#1 stays 60 90 10 => S2
			an older holder may enter late after the store lost its data
			  w0#1 waits 0; losesData 10; w1#1 stays 20 30 11; w0#1 enters 40 10; w0#1 leaves 50 lost =>
			a token that is granted twice is rejected even after a loss
			  w0#1 waits 0; losesData 10; w1#1 stays 20 30 11; w0#1 enters 40 11; w0#1 leaves 50 lost => S2
			a token lower than before is rejected for a later call after the loss
			  w0#1 stays 0 15 11; losesData 20; w1#1 stays 25 40 10 => S2
			a resource that accepts an older token after a newer one is rejected
			  access 10 11 w1#1 read true; access 20 10 w0#1 write true => S1
			a resource that refuses an older token is accepted
			  access 10 11 w1#1 read true; access 20 10 w0#1 write false =>
			a holder that is refused although its lock is guaranteed is rejected
			  w0#1 stays 0 50 10; access 10 11 w9#1 read true; access 20 10 w0#1 write false => S2
			a holder that is refused when its deadline has passed is accepted
			  w0#1 waits 0; w0#1 enters 0 10; access 1010 11 w9#1 read true; access 1020 10 w0#1 write false
			  w0#1 leaves 1100 lost =>
			a holder that is robbed is rejected
			  w0#1 waits 0; w0#1 enters 0 10; w0 300 LOST key=k token=10 reason=the_store_no_longer_knows_it
			  w0#1 leaves 400 lost => S3
			a holder whose lease has passed was not robbed
			  w0#1 waits 0; w0#1 enters 0 10; w0 1010 LOST key=k token=10 reason=the_store_no_longer_knows_it
			  w0#1 leaves 1400 lost =>
			a holder that lost its lock with the data was not robbed
			  w0#1 waits 0; w0#1 enters 0 10; losesData 200
			  w0 300 LOST key=k token=10 reason=the_store_no_longer_knows_it; w0#1 leaves 400 lost =>
			a call that ended and then holds is rejected
			  w0#1 waits 0; w0 10 ENDED a=1 how=timeout; w0#1 enters 20 10; w0#1 leaves 30 ok => S5
			an unlock of what is not held must throw
			  w0 10 UNHELD key=k what=again threw=IllegalMonitorStateException =>
			  w0 20 UNHELD key=k what=again threw=ok => S6
			a release of a lock that was lost before must throw
			  w0#1 waits 0; w0#1 enters 0 10; w0 50 RELEASE a=1 held=false; w0 51 RELEASED a=1 how=lost =>
			  w1#1 waits 60; w1#1 enters 60 11; w1 70 RELEASE a=1 held=false; w1 71 RELEASED a=1 how=ok => S6
			""";

	private static final String LIVENESS = """
			a wait for a holder is accepted
			  w0#1 waits 0; w0#1 enters 0 10; w1#1 waits 40; from 1 to 29: w0 [900] CHECK a=1 rem=1000
			  w0#1 leaves 27000 ok; w1#1 enters 27001 11; w1#1 leaves 27010 ok =>
			short waits one after the other are as bad as a long one
			  w0#1 stays 0 50 10; from 1 to 99: w1#[1] waits [100]
			  from 1 to 99: w1 [100+150] ENDED a=[1] how=timeout => L1
			a JVM that is passed over for too long is rejected
			  w1#1 waits 0; from 1 to 19: w0#[1] stays [10] [10+5] [1]; w1#1 enters 200 1000; w1#1 leaves 205 ok => S8
			a JVM that waits for one turn of another is accepted
			  w1#1 waits 0; from 1 to 18: w0#[1] stays [10] [10+5] [1]; w1#1 enters 190 1000; w1#1 leaves 195 ok =>
			overtaking does not count in a store that is polled
			  store 0 POLLED store=postgresql
			  w1#1 waits 0; from 1 to 40: w0#[1] stays [10] [10+5] [1]; w1#1 enters 410 1000; w1#1 leaves 415 ok =>
			overtaking does not count during a fault
			  fault CUT w1 5 6
			  w1#1 waits 0; from 1 to 40: w0#[1] stays [10] [10+5] [1]; w1#1 enters 410 1000; w1#1 leaves 415 ok =>
			a lock that stays free while a caller waits is rejected
			  w0#1 stays 0 50 10; w1#1 waits 40; until 9000 => L1
			an entry within the bound is accepted
			  w0#1 stays 0 50 10; w1#1 waits 40; w1#1 enters 5000 11; w1#1 leaves 5010 ok; until 20000 =>
			the clock stands still while the store is away
			  w0#1 stays 0 50 10; w1#1 waits 40; fault STALL all 1000 6000; until 9000 =>
			  until 15000 => L1
			a waiter that dies waits no longer
			  w0#1 stays 0 50 10; w1#1 waits 40; dies w1 5000; until 20000 =>
			the lease of a dead holder is waited for and no longer
			  w0#1 waits 0; w0#1 enters 0 10; dies w0 500; w1#1 waits 40; until 8000 =>
			  until 9000 => L1
			the lease of a caller that gave up soon before its JVM died is waited for and no longer
			  w0#1 waits 0; w0 30 ENDED a=1 how=timeout; dies w0 500; w1#1 waits 40; until 8500 =>
			  until 9000 => L1
			the session of a dead holder is waited for and no longer
			  store 0 SESSIONS millis=4000
			  w0#1 waits 0; w0#1 enters 0 10; dies w0 500; w1#1 waits 40; until 11000 =>
			  until 12000 => L1
			a caller that gave up long before its JVM died has no lease
			  w0#1 waits 0; w0 30 ENDED a=1 how=timeout; dies w0 3100; w1#1 waits 40; until 8500 => L1
			a release that did not count is rejected
			  w0#1 stays 0 50 10; store 20 STORE key=k owner=jvm:1 last=26; until 9000 => S4
			a release that counts is accepted
			  w0#1 stays 0 50 10; store 20 STORE key=k owner=jvm:1 last=26
			  store 120 STORE key=k owner= last=26; until 9000 =>
			a holder that is inside is no ghost
			  w0#1 waits 0; w0#1 enters 0 10; store 20 STORE key=k owner=jvm:1 last=26; until 9000 =>
			an owner that never entered is rejected
			  w0#1 stays 0 50 10; store 20 STORE key=k owner=jvm:1 last=26
			  store 120 STORE key=k owner=jvm:2 last=99; until 9000 => S5
			an owner that is dead is left to its lease
			  w0#1 stays 0 50 10; store 20 STORE key=k owner=jvm:1 last=26
			  store 120 STORE key=k owner=jvm:2 last=99; dies w0 130; until 9000 =>
			the JVMs of one host are told apart
			  w0#1 stays 0 50 10; store 20 STORE key=k owner=shop@host:7:a:1 last=26
			  store 60 STORE key=k owner= last=26; dies w0 130; w1#1 stays 200 250 60
			  store 220 STORE key=k owner=shop@host:8:b:1 last=76
			  store 300 STORE key=k owner=shop@host:7:a:2 last=99; until 9000 =>
			a renewed lock that is lost without a fault is rejected
			  w0 900 LOST key=k token=10 reason=no_renewal cause=STORE_SILENT => L4
			an explicit lease that expires is accepted
			  w0 900 LOST key=k token=10 reason=its_lease_has_expired cause=LEASE_EXPIRED =>
			a lock that is not renewed may be lost while the store is silent
			  w0 0 START a=1 key=k how=LEASE lease=1000 renewed=false wait=-1; w0#1 enters 0 10
			  w0 900 LOST key=k token=10 reason=no_renewal cause=STORE_SILENT =>
			a loss while the machine is stalled is no fault of the library
			  w1#1 waits 0; w1#1 enters 0 9; w1 100 CHECK a=1 rem=900; w1 115 CHECK a=1 rem=885
			  w0 900 LOST key=k token=10 reason=no_renewal cause=STORE_SILENT => L4
			  w1 800 CHECK a=1 rem=200 =>
			a loss beside faults is no fault of the library
			  fault STALL all 1000 6000; w0 900 LOST key=k token=10 reason=no_renewal cause=STORE_SILENT =>
			nothing may remain in the store
			  w0#1 stays 0 50 10; w0 100 IDLE idle=true threads=0; store 200 LEFT_OVER names=none =>
			  store 300 LEFT_OVER names=[distlock:lock:{k}] => S7
			a JVM that does not come to rest is rejected
			  w0 100 IDLE idle=false threads=0; store 200 LEFT_OVER names=none => S7
			a JVM that does not stop is rejected
			  w0#1 stays 0 50 10; store 200 LEFT_OVER names=none => S7
			""";

	private static final String READERS = """
			readers together are accepted
			  w0#1 reads 0 50 10; w1#1 reads 10 90 11; w1#2 reads 10 20 12 =>
			a writer beside a reader is not
			  w0#1 reads 0 50 10; w1#1 stays 49 90 11 => S1
			a reader beside a writer is not
			  w0#1 stays 0 50 10; w1#1 reads 49 90 11 => S1
			readers with permits are accepted and no more than these
			  w0#1 shares 0 50 10; w1#1 shares 10 90 11; w1#2 shares 60 90 12 =>
			  w0#2 shares 80 85 13 => S1
			one reader more than the permits is accepted after the store lost its data
			  w0#1 shares 0 50 10; w1#1 shares 10 90 11; losesData 20; w1#2 shares 30 40 50 =>
			two writers after readers are not
			  w0#1 reads 0 50 10; w1#1 reads 10 40 11; w1#2 stays 60 90 12; w0#2 stays 80 100 13 => S1
			a writer beside the longest of several readers is not
			  w0#1 reads 0 500 10; w1#1 reads 10 40 11; w1#2 stays 60 90 12 => S1
			a dead reader keeps writers out for its lease and no longer
			  w0#1 waitsToRead 0; w0#1 enters 0 10; dies w0 20; w1#1 reads 30 2000 11; w2#1 stays 2001 2050 12 =>
			  w3#1 waitsToRead 2060; w3#1 enters 2060 13; dies w3 2100; w2#2 stays 2900 2950 14 => S1
			a writer must enter soon after the lease of a dead reader
			  w0#1 waitsToRead 0; w0#1 enters 0 10; dies w0 500; w1#1 waits 40; until 8000 =>
			  until 9000 => L1
			readers may enter in any order of their tokens but not before an earlier writer
			  w9#1 stays -20 -10 9; w0#1 reads 0 50 11; w1#1 reads 10 40 10 =>
			  w1#2 reads 60 70 8 => S2
			a writer needs a higher token than the readers before
			  w0#1 reads 0 50 11; w1#1 reads 10 40 10; w1#2 stays 60 90 11 => S2
			no two readers have one token
			  w0#1 reads 0 50 10; w1#1 reads 10 40 10 => S2
			the resource lets readers in in any order and refuses them after a later writer
			  access 10 12 w1#1 look true; access 20 11 w0#1 look true; access 30 13 w2#1 write true
			  access 40 12 w1#1 look false =>
			  access 50 11 w0#1 look true => S1
			a resource that lets a writer write after a later reader is rejected
			  access 10 12 w1#1 look true; access 20 11 w0#1 write true => S1
			a reader that is refused although its lock is guaranteed is rejected
			  w0#1 reads 0 50 10; access 10 11 w9#1 write true; access 20 10 w0#1 look false => S2
			many readers of which no two are inside together are not accepted
			  from 0 to 99: w0#[1] reads [10] [10+9] [1+1] => R1
			  w1#1 reads 990 999 1000 =>
			many readers with permits of which no two are inside together are not accepted
			  from 0 to 99: w0#[1] shares [10] [10+9] [1+1] => R1
			  w1#1 shares 990 999 1000 =>
			a writer that many later readers overtake is rejected
			  w0#0 reads 0 40 1; w9#1 waits 5; from 1 to 65: w0#[1] reads [10] [10+30] [1+1]
			  w9#1 enters 700 1000; w9#1 leaves 710 ok => R2
			""";

	private final TestHistory history = new TestHistory();

	static Stream<Case> cases() {
		return Stream.of(SAFETY, LIVENESS, READERS)
			.flatMap((table) -> Arrays.stream(table.split("\n(?! )")))
			.map((text) -> new Case(text.lines().toList()));
	}

	@ParameterizedTest
	@MethodSource("cases")
	void aHistoryIsAcceptedOrRejected(Case each) {
		for (String line : each.lines.subList(1, each.lines.size())) {
			String[] parts = line.split("=>", -1);
			Arrays.stream(parts[0].split(";")).map(String::strip).forEach(this.history::step);
			if (parts.length > 1) {
				assertThat(this.history.broken()).isEqualTo(parts[1].isBlank() ? List.of() : List.of(parts[1].strip()));
			}
		}
	}

	/** A history: its name, then its steps and verdicts. */
	record Case(List<String> lines) {

		@Override
		public String toString() {
			return this.lines.get(0);
		}

	}

	/** A history written by hand, in milliseconds. A lease lasts for a second. */
	private static final class TestHistory {

		private static final long ORIGIN = 1_000_000_000L;

		private static final Pattern REPEATED = Pattern.compile("from (\\d+) to (\\d+): (.*)");

		private static final Pattern MULTIPLE = Pattern.compile("\\[(\\d+)(?:\\+(\\d+))?]");

		private final List<Event> events = new ArrayList<>();

		/**
		 * Add what one step says: {@code w0#1 stays 0 50 10} is the whole stay of the
		 * first call of a worker from 0 to 50 with the token 10, {@code reads} that of a
		 * reader, {@code shares} that of a reader of whom two may hold the lock. Its
		 * parts are {@code waits 0}, {@code waitsToRead 0} or {@code waitsToShare 0},
		 * {@code enters 0 10} and {@code leaves 50 ok}.
		 * {@code access 10 11 w1#1 read true} is an access to the resource with the token
		 * 11, and whether that accepts it. {@code losesData 20},
		 * {@code fault STALL all 1000 6000}, {@code dies w0 20}, and {@code until 9000},
		 * when the history ends, concern the world. Everything else is a line of a file.
		 * A step after {@code from 1 to 9:} is repeated, with {@code [10+5]} for ten
		 * times the number of the repetition and five.
		 */
		TestHistory step(String step) {
			Matcher repeated = REPEATED.matcher(step);
			if (repeated.matches()) {
				IntStream.rangeClosed(Integer.parseInt(repeated.group(1)), Integer.parseInt(repeated.group(2)))
					.forEach((number) -> step(MULTIPLE.matcher(repeated.group(3))
						.replaceAll((factor) -> multiple(number, factor.group(1), factor.group(2)))));
				return this;
			}
			String[] words = step.split(" ");
			String worker = words[0].replaceAll("#.*", "");
			String call = words[0].replaceAll(".*#", "");
			return switch (words[0].contains("#") ? words[1] : words[0]) {
				case "stays" -> stay(words, "waits");
				case "reads" -> stay(words, "waitsToRead");
				case "shares" -> stay(words, "waitsToShare");
				case "waits", "waitsToRead", "waitsToShare" ->
					add(worker + " " + words[2] + " START a=" + call + " key=k how=LEASE lease=1000 wait=-1 fair=false"
							+ (words[1].equals("waits") ? "" : " mode=READ")
							+ (words[1].equals("waitsToShare") ? " permits=2" : ""))
						.add(worker + " " + words[2] + " WAITING a=" + call);
				case "enters" ->
					add(worker + " " + words[2] + " GRANTED a=" + call + " token=" + words[3] + " rem=1000")
						.add(worker + " " + words[2] + " ENTER a=" + call);
				case "leaves" -> add(worker + " " + words[2] + " EXIT a=" + call)
					.add(worker + " " + words[2] + " RELEASE a=" + call)
					.add(worker + " " + (Long.parseLong(words[2]) + 1) + " RELEASED a=" + call + " how=" + words[3]);
				case "access" -> add("resource " + words[1] + " ACCESS key=k token=" + words[2] + " attempt=" + words[3]
						+ " op=" + words[4] + " ok=" + words[5]);
				case "losesData" -> fault("FLUSH_ALL", "all", words[1], words[1], true);
				case "fault" -> fault(words[1], words[2], words[3], words[4], false);
				case "dies" -> add("nemesis " + words[2] + " KILLED worker=" + words[1]);
				case "until" -> add("store " + words[1] + " STORE key=other owner= last=0");
				default -> add(step);
			};
		}

		private static String multiple(int number, String factor, @Nullable String addend) {
			return "" + (number * Integer.parseInt(factor) + ((addend != null) ? Integer.parseInt(addend) : 0));
		}

		private TestHistory stay(String[] words, String waits) {
			return step(words[0] + " " + waits + " " + words[2]).step(words[0] + " enters " + words[2] + " " + words[4])
				.step(words[0] + " leaves " + words[3] + " ok");
		}

		private TestHistory fault(String name, String worker, String from, String to, boolean loses) {
			return add(
					"nemesis " + from + " FAULT id=" + from + " name=" + name + " worker=" + worker + " loses=" + loses)
				.add("nemesis " + to + " HEALED id=" + from);
		}

		/** One event: source, time in ms, and the rest as in a file. */
		private TestHistory add(String line) {
			String[] parts = line.split(" ", 3);
			String rest = parts[2].replaceAll("rem=(\\d+)", "rem=$1000000");
			this.events.add(Event.parse(parts[0], (ORIGIN + Long.parseLong(parts[1]) * 1_000_000) + " " + rest));
			return this;
		}

		List<String> broken() {
			return Checker.check(new History(this.events)).stream().map(Violation::rule).distinct().toList();
		}

	}

}
