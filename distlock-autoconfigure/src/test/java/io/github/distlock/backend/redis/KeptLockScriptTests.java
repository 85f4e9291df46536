package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Marked words of locks that a JVM may keep, on a real server.
 */
class KeptLockScriptTests extends ScriptServer {

	private static final long FIRST = 1_790_000_000_000_000L;

	private static Reply attempt(String token, String how) {
		return Reply.parse(template.execute(Scripts.ATTEMPT, KEYS, token, "30000", how));
	}

	@Test
	void onlyALockThatIsFreeWithoutAQueueIsMarked() {
		long first = attempt("a:1", "T017").numbers()[0];
		assertThat(word()).isEqualTo("-a:1|017|" + first);
		template.execute(Scripts.RELEASE, KEYS, "a:1", Long.toString(first + 2));
		assertThat(word()).isEqualTo("|" + (first + 2));
		assertThat(attempt("a:2", "N017").numbers()).as("after a tombstone").hasSize(1);
		assertThat(word()).startsWith("-a:2|017|");
		attempt("dead:1", "T017");
		template.delete(LOCK);
		assertThat(attempt("b:1", "T017").numbers()).as("after a ticket that has died").hasSize(2);
		assertThat(word()).startsWith("+b:1|17|");
		assertThat(attempt("b:1", "T017").numbers()).as("asked again").hasSize(2);
	}

	@Test
	void aTicketThatIsNotQueuedAsksOnlyIfItsJvmHearsNothing() {
		try (RespConnection inbox = new RespConnection(server.port())) {
			inbox.ask("SUBSCRIBE", "distlock:inbox:a");
			long first = attempt("a:1", "T017").numbers()[0];
			String asked = "asked|a:1|" + first + "|%s|" + LOCK;
			attempt("b:1", "N17");
			assertThat(attempt("b:1", "n17").numbers()).as("may be kept").hasSize(2);
			assertThat(attempt("c:FR1", "n").numbers()).as("may be kept, a reader").hasSize(2);
			attempt("b:2", "t17");
			assertThat(attempt("c:1", "n17").numbers()).as("others wait").hasSize(1);
			attempt("b:2", "s17");
			List<String> messages = new ArrayList<>();
			await().untilAsserted(() -> {
				for (Object next = inbox.received(); next != null; next = inbox.received()) {
					messages.add((String) ((List<?>) next).get(2));
				}
				assertThat(messages).containsExactly(asked.formatted(""), asked.formatted(""), asked.formatted("b:2"),
						asked.formatted("b:2"));
			});
		}
	}

	@Test
	void anAttemptOfAUserThatMayNotPublishIsMadeAlthoughItsRequestIsLost() {
		attempt("a:1", "T017");
		try (RespConnection mute = new RespConnection(server.port())) {
			mute.ask("ACL", "SETUSER", "mute", "on", ">secret", "~*", "resetchannels", "+@all");
			mute.ask("AUTH", "mute", "secret");
			for (String letter : List.of("S", "T", "t")) {
				assertThat(eval(mute, "attempt.lua", KEYS, "b:1", "30000", letter + "17")).asString()
					.startsWith(letter.equals("t") ? "waiting,-1," : "waiting,0,");
			}
			assertThat(eval(mute, "attempt.lua", KEYS, "c:1", "30000", "n17")).asString().startsWith("busy,");
		}
	}

	@Test
	void aSuccessorIsQueuedInTheSameWayWhetherItsLetterIsSmallOrNot() {
		for (String letter : List.of("N", "S", "T")) {
			assertThat(queueAfterRelease(letter.toLowerCase(Locale.ROOT))).as(letter)
				.isEqualTo(queueAfterRelease(letter));
		}
	}

	/** Another ticket waits before the successor. */
	private static List<String> queueAfterRelease(String letter) {
		template.delete(KEYS);
		long first = attempt("a:1", "T17").numbers()[0];
		attempt("b:1", "S17");
		String answer = template.execute(Scripts.RELEASE, KEYS, "a:1", Long.toString(first), "a:2", "30000",
				letter + "17");
		List<String> queue = new ArrayList<>(template.opsForZSet().range(KEYS.get(1), 0, -1));
		// Instances are in the order of the time.
		queue.sort(null);
		queue.add(answer.replaceAll(",.*", ""));
		return queue;
	}

	/** Only the owner and a ticket that is not queued learn of the mark. */
	@Test
	void eachScriptTreatsAMarkedWordAsAnUnmarkedOne() {
		try (RespConnection inbox = new RespConnection(server.port());
				RespConnection client = new RespConnection(server.port())) {
			inbox.ask("SUBSCRIBE", "distlock:inbox:b");
			String used = Long.toString(FIRST + 5);
			String[][] commands = { { "attempt.lua", "a:1", "30000", "T17" }, { "attempt.lua", "c:FR1", "30000", "S" },
					{ "attempt.lua", "c:1", "30000", "S17" }, { "attempt.lua", "c:1", "30000", "N17" },
					{ "attempt.lua", "c:1", "30000", "n17" }, { "attempt.lua", "c:1", "30000", "t17" },
					{ "attempt.lua", "c:1", "30000", "s17" }, { "release.lua", "a:1", used },
					{ "release.lua", "a:1", "0" }, { "release.lua", "a:1", used, "a:2", "30000", "T17" },
					{ "release.lua", "a:1", used, "a:2", "30000", "N17" },
					{ "release.lua", "a:1", used, "a:2", "30000", "n17" }, { "cancel.lua", "a:1" },
					{ "renew.lua", "a:1|%s|" + FIRST, "90000" }, { "end.lua", Long.toString(FIRST) }, { "inspect.lua" },
					{ "admit.lua" } };
			for (String[] command : commands) {
				for (boolean waits : List.of(false, true)) {
					assertThat(run(client, command, waits, "017")).as(String.join(" ", command))
						.isEqualTo(run(client, command, waits, "17"));
				}
			}
		}
	}

	private static List<String> run(RespConnection client, String[] command, boolean waits, String count) {
		client.ask("FLUSHALL");
		client.ask("SET", LOCK, "-a:1|17|" + FIRST, "PX", "30000");
		if (waits) {
			eval(client, "attempt.lua", KEYS, "b:1", "30000", "T17");
		}
		client.ask("SET", LOCK, (waits ? "+" : "-") + "a:1|" + count + "|" + FIRST, "PX", "30000");
		List<String> keys = command[0].equals("renew.lua") ? KEYS.subList(0, 1) : KEYS;
		Object answer = eval(client, command[0], keys,
				Stream.of(command).skip(1).map((text) -> text.formatted(count)).toArray(String[]::new));
		Function<Object, String> masked = (data) -> String.valueOf(data)
			.replaceAll("179000000\\d{7}", "F")
			.replaceAll("\\d{16}", "now")
			.replaceAll("\\b(29|30)\\d{3}\\b", "ttl")
			.replaceAll("^(granted,F,ttl),1$", "$1")
			.replaceAll("^(busy,ttl),1", "$1")
			.replaceAll("^waiting,-1,", "waiting,0,")
			.replace("a:1|017|", "a:1|17|");
		return Stream
			.of(answer, client.ask("GET", LOCK), client.ask("ZRANGE", KEYS.get(1), "0", "-1"),
					client.ask("ZRANGE", KEYS.get(2), "0", "-1"))
			.map(masked)
			.toList();
	}

	private static Object eval(RespConnection client, String file, List<String> keys, String... args) {
		String script = Scripts.script(String.class, file).getScriptAsString();
		return client
			.ask(Stream.of(Stream.of("EVAL", script, Integer.toString(keys.size())), keys.stream(), Stream.of(args))
				.flatMap((words) -> words)
				.toArray(String[]::new));
	}

}
