package io.github.distlock.backend.redis;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.distlock.testing.RespConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Sends scripts to a server. Some commands are lost, some run twice or much later, and
 * some answers are lost.
 */
final class UnreliableScripts implements AutoCloseable {

	private static final int LATEST_MILLIS = 150;

	private final RespConnection connection;

	private final Random random;

	/** Changes the text of each script, to check that a bug in it is detected. */
	private final UnaryOperator<String> patch;

	private final Map<RedisScript<?>, String> digests = new HashMap<>();

	private final PriorityQueue<Stray> strays = new PriorityQueue<>(Comparator.comparingLong(Stray::dueMicros));

	private boolean reliable;

	private int sends;

	UnreliableScripts(int port, Random random, UnaryOperator<String> patch) {
		this.connection = new RespConnection(port);
		this.random = random;
		this.patch = patch;
	}

	/** The clock of this machine, which is that of the server. */
	static long nowMicros() {
		return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
	}

	/** Run a script; {@code null} if no answer came. */
	@Nullable Answer send(RedisScript<?> script, List<String> keys, String... args) {
		Answer answer = send(command(script, keys, args));
		if (answer != null && answer.value instanceof String text && text.startsWith("+")) {
			send(Scripts.ADMIT, keys);
		}
		return answer;
	}

	/** Send a command; {@code null} if no answer came. */
	@Nullable Answer send(String... command) {
		int fate = this.reliable ? 99 : this.random.nextInt(100);
		if (fate < 4) {
			return null;
		}
		if (fate < 8) {
			ask(command);
			return null;
		}
		if (fate < 13) {
			this.strays.add(new Stray(nowMicros() + 1000L * this.random.nextInt(LATEST_MILLIS), command));
		}
		if (fate < 18) {
			ask(command);
		}
		long sent = nowMicros();
		return new Answer(ask(command), sent);
	}

	private String[] command(RedisScript<?> script, List<String> keys, String... args) {
		String digest = this.digests.computeIfAbsent(script,
				(any) -> (String) this.connection.ask("SCRIPT", "LOAD", this.patch.apply(any.getScriptAsString())));
		return Stream.of(Stream.of("EVALSHA", digest, Integer.toString(keys.size())), keys.stream(), Stream.of(args))
			.flatMap((words) -> words)
			.toArray(String[]::new);
	}

	private @Nullable Object ask(String... command) {
		this.sends++;
		return this.connection.ask(command);
	}

	/** Run the delayed commands. */
	void runStrays() {
		while (!this.strays.isEmpty() && (this.reliable || this.strays.peek().dueMicros <= nowMicros())) {
			ask(this.strays.remove().command);
		}
	}

	/** From now on no command and no answer is lost, delayed or doubled. */
	void becomeReliable() {
		this.reliable = true;
		runStrays();
	}

	/** Let time pass at the server. */
	void pause(int millis) {
		for (long end = nowMicros() + 1000L * millis; nowMicros() < end;) {
			this.connection.ask("PING");
		}
	}

	/** Run a script of the test itself. */
	@Nullable Object look(String text, List<String> keys) {
		return this.connection.ask(Stream.concat(Stream.of("EVAL", text, Integer.toString(keys.size())), keys.stream())
			.toArray(String[]::new));
	}

	int sends() {
		return this.sends;
	}

	@Override
	public void close() {
		this.connection.close();
	}

	/**
	 * What the server answered.
	 *
	 * @param value the answer
	 * @param sentMicros a moment before the command was sent
	 */
	record Answer(@Nullable Object value, long sentMicros) {

		Reply reply() {
			return Reply.parse((String) this.value);
		}

	}

	private record Stray(long dueMicros, String[] command) {
	}

}
