package io.github.distlock.backend.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.testing.RespConnection;
import io.github.distlock.testing.StepCase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * The scripts themselves, on a real server, step by step: {@link ScriptServer} describes
 * the steps. Further cases: tokens and the clock, the rights that scripts need, and their
 * work, which does not grow with the number of waiting tickets.
 */
class ScriptTests extends ScriptServer {

	private static final String EXCLUSIVE = """
			a ticket that was not seen for three safety intervals is passed over
			  a:1 T; gone:1; alive:1; unseen gone; seen alive; leave a:1; word => +alive:1
			  queue =>
			a ticket with a short lease keeps its place while another ticket of its instance is seen
			  a:1 T; b:F1 100ms; b:F2; wait 400ms; leave a:1; queue => !b b:F2
			an instance that does not confirm a grant loses its other places
			  a:1 T; paused:F1; paused:F2; alive:F1; paused:F3; leave a:1; word => +paused:F1
			  late:1 => waiting
			  position => 3
			  forgetLock; late:1 => waiting
			  position => 0
			  word => +alive:F1
			  paused:F3; new => 1
			  paused:F3; new => 0
			a ticket that polls keeps its short lease until it asks, and the first behind it has to ask, too
			  a:1 T; p:1 Q; b:1 T; leave a:1; word => *p:1
			  b:1 T; position => -1
			  p:1 Q 90s; ttl => 90s
			  p:1 Q; ttl => 90s
			a ticket whose message has no receiver is passed over
			  a:1 T; dead:1 T; dead:2 T => waiting
			  leave a:1; word => |
			  b:1 T => granted
			a server without memory lets a lock be acquired, renewed and released
			  a:1 T; memoryIsFull; renew a:1 90s => 1
			  leave a:1 used => ok
			  b:1 T => granted
			  leave b:1 used => ok
			  forgetLock; c:1 T => granted
			  end c:1 => ended
			  word => |
			a renewal names its grant and extends no other
			  a:1 T; renew a:1 90s => 1
			  ttl => 90s
			  renew a:1 300s -1 => 0
			  renew b:1 300s => 2
			  ttl => 90s
			  c:1 T; renew a:1 90s => 1
			""";

	private static final String READING = """
			readers without an inbox are passed over at no cost
			  w:W1; a:FR1 T; b:FR1 T; v:W1; leave w:W1; word => +v:W1
			  a:FR2 T; b:FR2; leave v:W1; readers => b:FR2
			a reader that polls keeps its short lease until it asks
			  w:W1; p:FR1 Q; leave w:W1; readers => p:FR1
			  p:FR1 Q 90s; ttl => 90s
			  p:FR1 Q; ttl => 90s
			dead readers are removed while others read
			  dead:FR1; a:FR1; expire dead:FR1; b:FR1; members => 4
			a reader that releases too late and waits again lets no ticket in beside the writer
			  a:FR1; c:FR1; leave c:FR1; w:W1; enqueue a:FR1; enqueue b:FR1; expire a:FR1; leave a:FR1; word => +w:W1
			  queue => b:FR1
			  members => 0
			nor does one that cancels too late
			  a:FR1; c:FR1; leave c:FR1; w:W1; enqueue a:FR1; enqueue b:FR1; expire a:FR1; cancel a:FR1; word => +w:W1
			  queue => b:FR1
			  members => 0
			the renewal of a reader names its grant and never shortens it
			  a:FR1 20s; b:FR1 40s; renew a:FR1 90s -1 => 0
			  renew c:FR1 90s => 0
			  ttl => 40s
			  renew a:FR1 25s => 1
			  readers => a:FR1 b:FR1
			  renew a:FR1 90s => 1
			  renew a:FR1 1s => 1
			  readers => b:FR1 a:FR1
			  ttl => 90s
			  leave a:FR1; renew a:FR1 90s => 0
			  ttl => 40s
			  renew b:FR1 90s => 1
			a reader whose lease has ended is not renewed although others read
			  a:FR1; b:FR1; expire a:FR1; renew a:FR1 90s => 0
			  leave a:FR1 => gone
			exclusive tickets that do not name the readers let them in
			  x:1 x17; a:FR1; leave x:1; readers => a:FR1
			  x:2 x17 => waiting
			  b:FR1; cancel x:2; holders => a:FR1 b:FR1
			a server without memory lets readers enter, renew and leave
			  w:W1; b:FR1; memoryIsFull; leave w:W1 => ok
			  readers => b:FR1
			  a:FR1 => granted
			  renew a:FR1 90s => 1
			  cancel b:FR1 => ok
			  leave a:FR1 => ok
			  c:FR1 => granted
			  forget; c:FR1 => granted
			a dead writer does not keep readers out while others read
			  a:FR1; dead:W1 T; b:FR1 => waiting
			  b:FR1 => granted
			a reader that expires when only dead readers come next keeps no writer out
			  a:FR1; w:W1; dead:FR1 T; v:W1; expire a:FR1; cancel w:W1 => ok
			  word => +v:W1
			  queue =>
			a reader that attempts when the last one expires is queued behind the writer
			  a:FR1; w:W1; dead:FR1 T; v:W1; dequeue w:W1; expire a:FR1; b:FR1 => waiting
			  word => +v:W1
			  queue => b:FR1
			a writer whose inbox is still open must confirm that it waits
			  inbox silent; a:FR1; silent:W1 T; b:FR1; b:FR1 => waiting
			  silent:W1 T; entry silent:W1 => silent:W1|5000|1|T
			  b:FR1 => waiting
			  entry silent:W1 => silent:W1|5000|1|S
			  unseen silent; b:FR1 => granted
			a ticket that its JVM does not know is cancelled, as unknown grants are answered, and none waits behind it
			  a:FR1; stray:W1; b:FR1; leave stray:W1 => gone
			  holders => a:FR1 b:FR1
			""";

	private static final String LIMITS = """
			one that holds the lock alone owns it until the next one attempts
			  leftOver left:F02p1; a:F02p1 20s; word => -a:F02p1
			  a:F02p1 40s => granted again
			  renew a:F02p1 40s => 1
			  renew a:F02p1 90s -1 => 0
			  ttl => 40s
			  x:1 N => busy
			  word => -a:F02p1
			  whose => a:F02p1
			  b:F02p1 20s; word => ~
			  whose => b:F02p1
			  readers => b:F02p1 a:F02p1
			  members => 4
			  ttl => 40s
			  a:F02p1 => granted again
			  renew a:F02p1 60s => 1
			  leave a:F02p1 => ok
			  readers => b:F02p1
			one that holds the lock alone shares it as soon as a ticket has to wait
			  a:F01p1; x:1 T => waiting
			  word => +a:F01p1
			  b:F02p1 => waiting
			  word => ~
			  whose => a:F01p1
			  readers => a:F01p1
			  cancel x:1 => ok
			  holders => a:F01p1 b:F02p1
			one that holds the lock alone is cancelled or ended like any owner
			  a:F02p1; cancel a:F02p1 => ok
			  word => |
			  a:F02p2; x:1; end a:F02p2 => ended
			  word => +x:1
			the release of an exclusive ticket does not grant the whole lock to a ticket with a limit
			  x:1 T x17; a:F02p1 T; inbox a; leave x:1 used => ok
			  word => ~
			  readers => a:F02p1
			the next is called in place of one whose JVM receives nothing
			  w:W1; dead:F02p1 T; dead:F02p2 T; a:F02p1; b:F02p1; c:F02p1; leave w:W1; holders => a:F02p1 b:F02p1
			  dead:F02p3 T; dequeue c:F02p1; d:F02p1; leave a:F02p1; holders => b:F02p1 d:F02p1
			  queue =>
			if none of them receives anything the lock is free
			  w:W1; dead:F01p1 T; dead:F01p2 T; v:W1; leave w:W1; word => +v:W1
			a dead ticket with a small limit does not block a larger one
			  a:F03p1; dead:F01p1 T; b:F03p1 => waiting
			  b:F03p1 => granted
			the first in the queue does not ask itself
			  a:F01p1; b:F01p1 T; messages; b:F01p1 T => waiting
			  messages => 0
			  queue => b:F01p1
			a server without memory lets tickets with a limit enter and leave
			  w:W1; a:F01p1; b:F01p1; memoryIsFull; leave w:W1 => ok
			  readers => a:F01p1
			  leave a:F01p1 => ok
			  readers => b:F01p1
			  cancel b:F01p1 => ok
			  c:F01p1 => granted
			""";

	static Stream<StepCase> cases() {
		return StepCase.of(EXCLUSIVE, READING, LIMITS);
	}

	@ParameterizedTest
	@MethodSource("cases")
	void theScriptsDecide(StepCase each) {
		each.check(this::steps);
	}

	@Test
	void aReaderThatCannotEnterYetKeepsItsPlace() {
		steps("w:1; r:FR1");
		// An exclusive ticket does not name the set of readers.
		limitKeys("resetkeys", "~distlock:lock:*", "~distlock:queue:*");
		try {
			assertThatException().isThrownBy(() -> steps("leave w:1"))
				.havingRootCause()
				.withMessageContaining("can't access at least one of the keys");
		}
		finally {
			limitKeys("allkeys");
		}
		assertThat(queue()).containsExactly("r:FR1");
		assertThat(template.getExpire(KEYS.get(1))).isPositive();
		assertThat(steps("leave w:1")).isEqualTo("ok");
		assertThat(readers()).containsExactly("r:FR1");
	}

	private static void limitKeys(String... rules) {
		server.process()
			.ask(Stream.concat(Stream.of("ACL", "SETUSER", "default"), Stream.of(rules)).toArray(String[]::new));
	}

	@Test
	void noScriptHasALockThatAStackOverflowCouldLeaveTaken() {
		assertThat(Scripts.ATTEMPT.getClass().getDeclaredFields())
			.noneMatch((field) -> Lock.class.isAssignableFrom(field.getType()));
	}

	@Test
	void cancelledGrantsDoNotMoveTheTokensAheadOfTheClock() {
		steps("a:0 T x1001");
		for (int i = 1; i < 100; i++) {
			steps("a:%d x1001".formatted(i));
		}
		steps("leave a:0 used");
		for (int i = 1; i < 100; i++) {
			assertThat(word()).startsWith("+a:" + i + "|1001|");
			cancel("a:" + i);
		}
		steps("b:1 T");
		assertThat(token()).isLessThanOrEqualTo(Objects.requireNonNull(
				template.execute((RedisConnection server) -> server.serverCommands().time(TimeUnit.MICROSECONDS))));
	}

	@Test
	void theUsedTokenOfAReleaseCannotRaiseTheLastToken() {
		steps("a:1 T x17");
		long first = token();
		steps("b:1 T");
		release("a:1", first + 1_000_000_000);
		assertThat(token()).isBetween(first + 16, first + 999_999_999);
	}

	@Test
	void tokensAheadOfTheClockAreRememberedUntilItHasPassedThem() {
		long ahead = System.currentTimeMillis() * 1000 + 60_000_000L;
		template.opsForValue().set(LOCK, "+a:1|1|" + ahead);
		release("a:1", ahead);
		assertThat(template.getExpire(LOCK)).isBetween(60L, 72L);
		steps("b:1 T");
		assertThat(word()).as("a release looks at the clock").isEqualTo("+b:1|1|" + (ahead + 1));
	}

	@Test
	void tokensOfDeadTicketsAreNotUsedUp() {
		steps("a:1 T x1001");
		for (int i = 0; i < 300; i++) {
			queueKey().add("dead:F" + i, 5000, 1001, true);
		}
		queueKey().add("b:1", 5000, 1001, false);
		template.opsForValue().set(LOCK, "+a:1|1001|" + token());
		assertThat(steps("seen b; leave a:1; word")).isEqualTo("+b:1");
		long before = token();
		steps("forgetLock; c:1 T x1001");
		assertThat(token()).isGreaterThan(before);
	}

	@Test
	void requiredRightsAreDocumentedAndTriedAtStart() throws IOException {
		Set<String> used = new TreeSet<>(commands(Scripts.ATTEMPT, Scripts.RELEASE, Scripts.CANCEL, Scripts.RENEW,
				Scripts.ADMIT, Scripts.READ_RENEW, Scripts.END, Scripts.INSPECT));
		Matcher documented = Pattern.compile("ACL SETUSER distlock .* -@all (.*)")
			.matcher(Files.readString(Path.of("..", "docs", "redis-operations.md")));
		assertThat(documented.find()).isTrue();
		assertThat(List.of(documented.group(1).replace("+", "").split(" "))).containsAll(used);
		assertThat(commands(Scripts.RIGHTS)).containsAll(used);
	}

	private static Set<String> commands(RedisScript<?>... scripts) {
		Set<String> used = new TreeSet<>();
		for (RedisScript<?> script : scripts) {
			Pattern.compile("(?:redis\\.p?call|try)\\('([A-Z]+)'")
				.matcher(script.getScriptAsString())
				.results()
				.forEach((call) -> used.add(call.group(1).toLowerCase(Locale.ROOT)));
		}
		return used;
	}

	/** Adds up the sizes of all answers to commands of a script. */
	private static final String COUNTING = """
			local function counted(...)
			  local answer = redis.call(...)
			  redis.call('INCRBY', 'touched', (type(answer) == 'table') and #answer + 1 or 1)
			  return answer
			end
			""";

	private static final RedisScript<String> ATTEMPT = counting(Scripts.ATTEMPT);

	private static final RedisScript<String> CANCEL = counting(Scripts.CANCEL);

	private static RedisScript<String> counting(RedisScript<String> script) {
		String text = script.getScriptAsString().replace("redis.call(", "counted(");
		return new DefaultRedisScript<>(COUNTING + text, String.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "FR", "F" })
	void anAttemptAndACancelReadAsMuchWithTwentyQueuedTicketsAsWithTwoThousand(String letters) {
		assertThat(touched(letters, 2000)).isEqualTo(touched(letters, 20));
		for (String command : List.of("lrange", "lpos", "lrem", "lset")) {
			assertThat(server.process().calls(command)).as(command + " looks at all tickets").isZero();
		}
	}

	/** By a new ticket, by one that asks again, and by one that gives up. */
	private static List<Long> touched(String letters, int waiting) {
		template.delete(KEYS);
		attempt("w:W1", 30_000, "S");
		for (int i = 0; i < waiting; i++) {
			attempt(letters, i);
		}
		List<Long> touched = new ArrayList<>();
		touched.add(touched(ATTEMPT, letters, waiting));
		touched.add(touched(ATTEMPT, letters, waiting / 2));
		touched.add(touched(CANCEL, letters, waiting / 2));
		return touched;
	}

	private static void attempt(String letters, int i) {
		template.execute(Scripts.ATTEMPT, KEYS, token(letters, i), "30000", how(letters));
	}

	private static String token(String letters, int i) {
		return "jvm" + i % 20 + ":" + letters + i;
	}

	private static String how(String letters) {
		return letters.equals("FR") ? "S" : "S17";
	}

	private static long touched(RedisScript<String> script, String letters, int i) {
		template.delete("touched");
		template.execute(script, KEYS, token(letters, i), "30000", how(letters));
		return Long.parseLong(template.opsForValue().get("touched"));
	}

	/** The server counts the inbox, so the tickets are counted, too. */
	@ParameterizedTest
	@ValueSource(ints = { 2, 20, 200, 2000 })
	void aHandOffBetweenJvmsAndTheNextRequestRunThirteenCommandsHoweverManyWait(int waiting) {
		try (RespConnection inbox = new RespConnection(server.port())) {
			inbox.ask("SUBSCRIBE", "distlock:inbox:jvm");
			long first = attempt("w:1", 30_000, "T").numbers()[0];
			for (int i = 1; i <= waiting; i++) {
				attempt("jvm:" + i, 30_000, "T");
			}
			assertThat(commandsOf(() -> release("w:1", first))).containsExactlyInAnyOrder("get", "time", "zrange",
					"zscore", "zrem", "psetex", "publish");
			assertThat(commandsOf(() -> attempt("w:2", 30_000, "T"))).containsExactlyInAnyOrder("get", "time",
					"zrevrangebyscore", "zadd", "pexpire", "pttl");
			long second = token();
			assertThat(commandsOf(() -> release("jvm:1", second, "jvm:x", "30000", "T1"))).containsExactlyInAnyOrder(
					"get", "time", "zrange", "zscore", "zrem", "psetex", "publish", "zrevrangebyscore", "zadd",
					"pexpire");
			assertThat(queue()).hasSize(waiting).endsWith("w:2", "jvm:x");
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 20, 200, 2000 })
	void aHandOffToAFairCallerRunsNineCommandsHoweverManyWait(int waiting) {
		try (RespConnection inbox = new RespConnection(server.port())) {
			inbox.ask("SUBSCRIBE", "distlock:inbox:jvm");
			attempt("w:F1", 30_000, "T");
			for (int i = 1; i <= waiting + 1; i++) {
				attempt("jvm:F" + i, 30_000, "T");
			}
			release("w:F1", token());
			long first = token();
			assertThat(commandsOf(() -> release("jvm:F1", first))).containsExactlyInAnyOrder("get", "time", "zrange",
					"zrange", "zscore", "zrem", "psetex", "publish", "zadd");
			assertThat(queue()).hasSize(waiting).startsWith("!jvm", "jvm:F3");
		}
	}

	/** The commands that a script runs, each as often as it runs. */
	private static List<String> commandsOf(Supplier<Reply> script) {
		server.process().ask("CONFIG", "RESETSTAT");
		assertThat(script.get().kind()).isIn("ok", Reply.WAITING);
		Properties stats = template
			.execute((RedisConnection connection) -> connection.serverCommands().info("commandstats"));
		return stats.stringPropertyNames()
			.stream()
			.filter((name) -> !name.matches("cmdstat_(evalsha|info|config.*)"))
			.flatMap((name) -> Collections
				.nCopies(Integer.parseInt(stats.getProperty(name).replaceAll("calls=(\\d+),.*", "$1")),
						name.substring("cmdstat_".length()))
				.stream())
			.toList();
	}

	@Test
	void readersEnterInPortionsOfFifty() {
		attempt("w:W1", 30_000, "S");
		for (int i = 0; i < 120; i++) {
			attempt("FR", i);
		}
		attempt("v:W1", 30_000, "S");
		assertThat(release("w:W1", 0).admitsMore()).isTrue();
		assertThat(readers()).hasSize(50);
		assertThat(attempt("x:W1", 30_000, "N").kind()).isEqualTo(Reply.BUSY);
		assertThat(admit().admitsMore()).isTrue();
		assertThat(admit().admitsMore()).isFalse();
		assertThat(readers()).hasSize(120);
		assertThat(admit().admitsMore()).as("sent twice").isFalse();
		assertThat(queue()).containsExactly("v:W1");
	}

	@Test
	void readersThatWereNotLetInEnterWhenTheyAttemptAgain() {
		attempt("w:W1", 30_000, "S");
		for (int i = 0; i < 120; i++) {
			attempt("FR", i);
		}
		release("w:W1", 0);
		Reply again = attempt(token("FR", 119), 30_000, "S");
		assertThat(again.kind()).isEqualTo(Reply.WAITING);
		assertThat(again.admitsMore()).isTrue();
		assertThat(attempt(token("FR", 119), 30_000, "S").kind()).isEqualTo(Reply.GRANTED);
	}

	private static Reply admit() {
		return Reply.parse(template.execute(Scripts.ADMIT, KEYS));
	}

}
