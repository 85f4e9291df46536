package io.github.distlock.backend.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import io.github.distlock.backend.redis.UnreliableScripts.Answer;
import org.jspecify.annotations.Nullable;

/**
 * Most attempts and releases of a quiet lock without a script, as {@link NativeCommands}
 * sends them.
 */
final class FuzzWords {

	/** Whether and how a word is compared before it is replaced. */
	enum WordCheck {

		/** The server has no such command. */
		OFF,

		EQUAL,

		/** A fault: whatever the word is. */
		UNCHECKED

	}

	private final UnreliableScripts scripts;

	private final Random random;

	private final WordCheck mode;

	/** The tombstone that an instance has written last. */
	private final Map<FuzzInstance, Long> tombstones = new HashMap<>();

	private int taken;

	private int released;

	FuzzWords(UnreliableScripts scripts, Random random, WordCheck mode) {
		this.scripts = scripts;
		this.random = random;
		this.mode = mode;
	}

	/**
	 * How many tickets and instances there are at once: mostly few, since these words
	 * need a quiet lock.
	 */
	int limit(int made, int most) {
		boolean busy = this.mode == WordCheck.OFF && made % 100 < 50 || made % 50 > 40;
		return busy ? most : (made % 50 < 25) ? 1 : 2;
	}

	/** Returns {@code null} if the script has to attempt. */
	@Nullable Answer attempt(FuzzTicket ticket, String lock) {
		Long last = this.tombstones.get(ticket.instance);
		long first = UnreliableScripts.nowMicros() - this.random.nextInt(1000);
		if (last == null || first <= last || isLeftToScript(ticket)) {
			return null;
		}
		Answer answer = replace(lock, "|" + last, "-" + ticket.grant(first), Integer.toString(ticket.lease));
		if (answer == null || answer.value() == null) {
			return null;
		}
		this.taken++;
		return new Answer(Long.toString(first), answer.sentMicros());
	}

	/** Returns whether the ticket was released. */
	boolean release(FuzzTicket ticket, String lock) {
		if (ticket.first == 0 || ticket.used < ticket.first || isLeftToScript(ticket)) {
			return false;
		}
		Answer answer = replace(lock, "-" + ticket.grant(), "|" + ticket.used, "10000");
		if (answer == null || answer.value() == null) {
			return false;
		}
		this.released++;
		this.tombstones.put(ticket.instance, ticket.used);
		return true;
	}

	private boolean isLeftToScript(FuzzTicket ticket) {
		return this.mode == WordCheck.OFF || this.random.nextInt(6) == 0;
	}

	private @Nullable Answer replace(String lock, String expected, String word, String millis) {
		Stream<String> condition = (this.mode == WordCheck.EQUAL) ? Stream.of("IFEQ", expected) : Stream.of("XX");
		return this.scripts.send(Stream.of(Stream.of("SET", lock, word), condition, Stream.of("PX", millis))
			.flatMap((words) -> words)
			.toArray(String[]::new));
	}

	List<Integer> figures() {
		return List.of(this.taken, this.released);
	}

}
