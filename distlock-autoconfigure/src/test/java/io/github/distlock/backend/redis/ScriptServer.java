package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.github.distlock.testing.RespConnection;
import io.github.distlock.testing.StepCase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.awaitility.Awaitility.await;

/**
 * A real server for tests of scripts, which call them for one key by the steps of a text;
 * each test begins without data. A step that begins with a token is an attempt, such as
 * {@code a:1 T 20s x17}: how it is queued (S), its lease (30 s) and its tokens (1).
 * Tokens of readers have an R before their number, or a limit.
 */
abstract class ScriptServer extends OnRedis {

	static final List<String> KEYS = new RedisKeys("distlock:").lockQueueAndReaders("k");

	static final String LOCK = KEYS.get(0);

	static final String READERS = KEYS.get(2);

	/** The first token of each grant. */
	private final Map<String, Long> firsts = new HashMap<>();

	private final List<RespConnection> inboxes = new ArrayList<>();

	private Reply last = Reply.parse("gone");

	private long messages;

	@BeforeEach
	void forget() {
		server.process().ask("FLUSHALL");
	}

	@AfterEach
	void closeInboxes() {
		this.inboxes.forEach(RespConnection::close);
		setMaxMemory(0);
	}

	private static void setMaxMemory(int bytes) {
		server.process().ask("CONFIG", "SET", "maxmemory", Integer.toString(bytes));
	}

	/** Make several steps; answer what the last one found, or its answer. */
	String steps(String steps) {
		String last = "";
		for (String step : steps.strip().split("; ")) {
			last = step(step.split(" "));
		}
		return last;
	}

	private String step(String... words) {
		if (words[0].contains(":")) {
			return attempt(words);
		}
		String name = (words.length > 1) ? words[1] : "";
		return switch (words[0]) {
			case "leave" -> release(name, used(List.of(words))).kind();
			case "cancel" -> cancel(name);
			case "renew" -> renew(words);
			case "end" -> template.execute(Scripts.END, KEYS, Long.toString(this.firsts.get(name)));
			case "word" -> (word() != null) ? word().replaceFirst("(?<=.)[|].*|(?<=[~|])\\d+$", "") : "none";
			case "whose" -> this.firsts.entrySet()
				.stream()
				.filter((grant) -> grant.getValue() == token())
				.map(Map.Entry::getKey)
				.findFirst()
				.orElse("none");
			case "readers" -> String.join(" ", readers());
			case "holders" -> String.join(" ", new TreeSet<>(readers()));
			case "members" -> String.valueOf(template.opsForZSet().size(READERS));
			case "queue" -> String.join(" ", queue());
			case "entry" -> queueKey().entry(name);
			case "position" -> Long.toString(this.last.numbers()[0]);
			case "new" -> Long.toString(this.last.numbers()[3]);
			case "ttl" -> (ttl() + 9_990) / 10_000 * 10 + "s";
			case "messages" -> messages();
			default -> {
				change(words[0], name);
				yield "";
			}
		};
	}

	/** Change the data, or the server, without a script. */
	private void change(String what, String name) {
		long now = System.currentTimeMillis();
		switch (what) {
			case "expire" -> template.opsForZSet().add(READERS, name, now - 1);
			case "leftOver" -> template.opsForZSet().add(READERS, name, 9e13);
			case "enqueue" -> {
				queueKey().add(name, 5000, 1, false);
				change("seen", name.substring(0, name.indexOf(':')));
			}
			case "dequeue" -> queueKey().remove(name);
			case "seen" -> queueKey().seenUntil(name, now + 60_000);
			case "unseen" -> queueKey().seenUntil(name, now - 500);
			case "forgetLock" -> template.delete(LOCK);
			case "forget" -> template.delete(KEYS);
			case "memoryIsFull" -> setMaxMemory(1);
			case "wait" -> await().until(() -> System.currentTimeMillis() > now + StepCase.duration(name).toMillis());
			case "inbox" -> {
				this.inboxes.add(new RespConnection(server.port()));
				this.inboxes.get(this.inboxes.size() - 1).ask("SUBSCRIBE", "distlock:inbox:" + name);
			}
			default -> throw new IllegalArgumentException(what);
		}
	}

	private String attempt(String... words) {
		int tokens = 1;
		long lease = 30_000;
		String mark = "S";
		for (String word : List.of(words).subList(1, words.length)) {
			if (word.startsWith("x")) {
				tokens = Integer.parseInt(word.substring(1));
			}
			else if (word.matches("\\d.*")) {
				lease = StepCase.duration(word).toMillis();
			}
			else {
				mark = word;
			}
		}
		this.last = attempt(words[0], (int) lease, mark, tokens);
		if (!this.last.kind().equals(Reply.GRANTED)) {
			return this.last.kind();
		}
		Long before = this.firsts.put(words[0], this.last.numbers()[0]);
		return (before != null && before == this.last.numbers()[0]) ? "granted again" : "granted";
	}

	/** Such as {@code used}, the token of the lock. */
	private static long used(List<String> words) {
		return words.contains("used") ? token() : 0;
	}

	/**
	 * Such as {@code renew a:1 90s -1}, with another first token than that of its grant.
	 */
	private String renew(String... words) {
		long first = this.firsts.getOrDefault(words[1], token()) - ((words.length > 3) ? 1 : 0);
		int lease = (int) StepCase.duration(words[2]).toMillis();
		return isReader(words[1]) ? Long.toString(renew(words[1], first, lease))
				: template.execute(Scripts.RENEW, List.of(LOCK), words[1] + "|1|" + first, Integer.toString(lease));
	}

	/** How many messages were published since the last question. */
	private String messages() {
		long before = this.messages;
		this.messages = server.process().calls("publish");
		return Long.toString(this.messages - before);
	}

	static String word() {
		return template.opsForValue().get(LOCK);
	}

	/** The last number of the word: the first token of a grant, or the last one given. */
	static long token() {
		return Long.parseLong(word().substring(word().lastIndexOf('|') + 1).replace("~", ""));
	}

	static QueueKey queueKey() {
		return new QueueKey(template, KEYS.get(1));
	}

	private static boolean isReader(String token) {
		return token.contains(":FR") || token.contains(":F0");
	}

	/** Exclusive tickets do not name the readers. */
	private static List<String> keys(String token) {
		return token.matches(".*:F?\\d+") ? KEYS.subList(0, 2) : KEYS;
	}

	static Reply attempt(String token, int lease, String mark) {
		return attempt(token, lease, mark, 1);
	}

	private static Reply attempt(String token, int lease, String mark, int tokens) {
		return Reply.parse(template.execute(Scripts.ATTEMPT, keys(token), token, Integer.toString(lease),
				isReader(token) ? mark : mark + tokens));
	}

	static Reply release(String token, long used, Object... next) {
		List<Object> args = new ArrayList<>(List.of(token, Long.toString(used)));
		args.addAll(List.of(next));
		return Reply.parse(template.execute(Scripts.RELEASE, keys(token), args.toArray()));
	}

	static String cancel(String token) {
		return template.execute(Scripts.CANCEL, keys(token), token);
	}

	static long renew(String token, long first, int lease) {
		return Long.parseLong(template.execute(Scripts.READ_RENEW, List.of(LOCK, READERS), token, Long.toString(first),
				Integer.toString(lease)));
	}

	private static long ttl() {
		return template.getExpire(LOCK, TimeUnit.MILLISECONDS);
	}

	/** The readers that hold the lock, in the order in which their leases end. */
	static List<String> readers() {
		String word = word();
		if (word == null || !word.startsWith("~")) {
			return Pattern.compile("[-+](.*:F[R0].*?)[|].*")
				.matcher((word != null) ? word : "")
				.results()
				.map((owner) -> owner.group(1))
				.toList();
		}
		Set<String> names = template.opsForZSet().rangeByScore(READERS, 0, 1e14);
		return List.copyOf(names);
	}

	static List<String> queue() {
		return queueKey().tokens();
	}

}
