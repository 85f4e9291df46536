package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redis.FuzzTicket.State;
import io.github.distlock.backend.redis.UnreliableScripts.Answer;
import org.jspecify.annotations.Nullable;

/**
 * JVMs that contend for one key by the scripts themselves, in an order that the seed
 * decides: all verbs and modes, lost and doubled commands, late messages, short leases
 * that end while they are held, and JVMs that die. Scripts are atomic, so one thread can
 * make every interleaving. Only the passing of time differs from run to run.
 */
final class ScriptFuzz implements AutoCloseable {

	static final int TOKENS = 17;

	private static final List<String> MODES = List.of("", "F", "W", "FW", "FR", "FR", "FR");

	/** In every third run most tickets have permits. */
	private static final List<String> MODES_WITH_PERMITS = List.of("", "W", "FR", "F02p", "F02p", "F03p", "F03p",
			"F03p", "F03p", "F03p");

	/** A release does not queue readers. */
	private static final List<String> SUCCESSOR_MODES = List.of("", "F", "W", "FW");

	private static final int[] LEASES = { 5, 12, 40, 120 };

	private static final int INSTANCES = 5;

	private static final int TICKETS_AT_ONCE = 16;

	/** The library's own margin is at least 5 ms. */
	private static final long MARGIN_MICROS = 1500;

	private final int port;

	private final Random random;

	private final UnreliableScripts scripts;

	private final List<String> keys;

	private final FuzzWords words;

	private final List<FuzzInstance> instances = new ArrayList<>();

	private final List<FuzzTicket> tickets = new ArrayList<>();

	private final UnreliableMail mail;

	private final List<String> violations = new ArrayList<>();

	private final HoldOracle oracle = new HoldOracle(this.violations);

	private final boolean portions;

	private final List<String> modes;

	private boolean draining;

	private int made;

	private int born;

	private int byMessage;

	private int ended;

	/** With an even seed readers enter by twos. */
	ScriptFuzz(int port, long seed, UnaryOperator<String> patch, FuzzWords.WordCheck nativeWords) {
		this.portions = seed % 2 == 0;
		this.modes = (seed % 3 == 2) ? MODES_WITH_PERMITS : MODES;
		this.port = port;
		this.random = new Random(seed);
		this.scripts = new UnreliableScripts(port, this.random,
				(script) -> patch.apply(script.replace("PORTION = 50", this.portions ? "PORTION = 2" : "PORTION = 50")
					.replace("POLL_GRACE_MILLIS = 500", "POLL_GRACE_MILLIS = 30")));
		this.words = new FuzzWords(this.scripts, this.random, nativeWords);
		this.mail = new UnreliableMail(this.random);
		this.keys = new RedisKeys("distlock:").lockQueueAndReaders("fuzz" + seed + "-" + System.nanoTime());
	}

	/** Run with a number of tickets, then end all; returns the violations. */
	List<String> run(int wanted) {
		for (int i = 0; i < INSTANCES; i++) {
			this.instances.add(newInstance());
		}
		for (int steps = 0; this.made < wanted && this.violations.isEmpty(); steps++) {
			step();
			if (steps % 10 == 0) {
				this.violations.addAll(ScriptInvariants.violations(this.scripts, this.keys, this.portions));
			}
		}
		if (this.violations.isEmpty()) {
			drain();
		}
		return this.violations;
	}

	private void step() {
		this.scripts.runStrays();
		receive();
		askWhoIsDue();
		int roll = this.random.nextInt(200);
		if (roll < 40 && this.tickets.size() < this.words.limit(this.made, TICKETS_AT_ONCE)) {
			FuzzInstance instance = this.instances.get(this.random.nextInt(this.words.limit(this.made, INSTANCES)));
			attempt(newTicket(instance, this.modes.get(this.random.nextInt(this.modes.size()))));
		}
		else if (roll < 60) {
			with(State.HOLDING, this::leave);
		}
		else if (roll < 70) {
			with(State.LEAVING, this::release);
			with(State.CANCELLING, this::cancel);
		}
		else if (roll < 80) {
			with(State.HOLDING, this::renew);
		}
		else if (roll < 86) {
			with(State.WAITING, (roll < 83) ? this::cancel : this::attempt);
		}
		else if (roll < 90) {
			rarely();
		}
	}

	private void rarely() {
		FuzzInstance instance = this.instances.get(this.random.nextInt(INSTANCES));
		switch (this.random.nextInt(6)) {
			case 0 -> {
				instance.die(this.random.nextBoolean());
				List<FuzzTicket> lost = this.tickets.stream().filter((any) -> any.instance == instance).toList();
				this.ended += (int) lost.stream().filter((any) -> any.state == State.HOLDING).count();
				this.tickets.removeAll(lost);
				this.instances.set(this.instances.indexOf(instance), newInstance());
			}
			case 1 -> instance.toggleInbox();
			case 2 -> with(State.HOLDING, (any) -> this.scripts.send(Scripts.END, this.keys, any.ended(this.oracle)));
			default -> this.scripts.pause(this.random.nextInt(60));
		}
	}

	private FuzzInstance newInstance() {
		return new FuzzInstance(this.port, ((++this.born % 3 == 0) ? "i" : "app@host-1:4711:") + this.born,
				this.random.nextInt(3) > 0);
	}

	private FuzzTicket newTicket(FuzzInstance instance, String letters) {
		boolean taken = this.tickets.stream().anyMatch((other) -> other.instance == instance && !other.isFair());
		String token = instance.newToken((taken && !letters.startsWith("F")) ? "F" + letters : letters);
		FuzzTicket ticket = new FuzzTicket(instance, token, LEASES[this.random.nextInt(LEASES.length)]);
		this.tickets.add(ticket);
		this.made++;
		return ticket;
	}

	private <T> @Nullable T pick(List<T> all, Predicate<T> wanted) {
		List<T> some = all.stream().filter(wanted).toList();
		return some.isEmpty() ? null : some.get(this.random.nextInt(some.size()));
	}

	private void with(State state, Consumer<FuzzTicket> action) {
		FuzzTicket ticket = pick(this.tickets, (any) -> any.state == state);
		if (ticket != null) {
			action.accept(ticket);
		}
	}

	private void askWhoIsDue() {
		long now = UnreliableScripts.nowMicros();
		for (FuzzTicket ticket : List.copyOf(this.tickets)) {
			if (ticket.state == State.WAITING && ticket.askMicros <= now) {
				attempt(ticket);
			}
		}
	}

	/** Exclusive callers do not name the readers. */
	private List<String> keys(String token) {
		return token.matches(".*:F?[0-9]+") ? this.keys.subList(0, 2) : this.keys;
	}

	private void attempt(FuzzTicket ticket) {
		Answer taken = this.words.attempt(ticket, this.keys.get(0));
		attempted(ticket, (taken != null) ? taken : this.scripts.send(Scripts.ATTEMPT, keys(ticket.token), ticket.token,
				Integer.toString(ticket.lease), how(ticket, ticket.instance.attemptMark(this.random))));
	}

	/** How a script queues a ticket, and its tokens. */
	private static String how(FuzzTicket ticket, String mark) {
		return mark + (ticket.isReader() ? "" : TOKENS);
	}

	private void attempted(FuzzTicket ticket, @Nullable Answer answer) {
		ticket.askMicros = UnreliableScripts.nowMicros() + 1000 * this.random.nextInt(40);
		if (answer == null) {
			return;
		}
		long[] numbers = answer.reply().numbers();
		switch (answer.reply().kind()) {
			case Reply.GRANTED -> enter(ticket, numbers[0], numbers[0] + ticket.tokens() - 1,
					answer.sentMicros() + 1000 * ((numbers.length > 1) ? numbers[1] : ticket.lease));
			case Reply.WAITING -> ticket.waits(numbers, this.random);
			default -> ticket.first = 0;
		}
	}

	/** A ticket attempts again if the grant has expired when its message arrives. */
	private void enter(FuzzTicket ticket, long first, long last, long endMicros) {
		long now = UnreliableScripts.nowMicros();
		if (endMicros - MARGIN_MICROS <= now) {
			ticket.askMicros = now;
			return;
		}
		ticket.first = first;
		ticket.last = last;
		ticket.endMicros = endMicros - MARGIN_MICROS;
		ticket.state = State.HOLDING;
		this.oracle.entered(ticket, now);
	}

	private void leave(FuzzTicket ticket) {
		if (ticket.isValid(UnreliableScripts.nowMicros())) {
			this.oracle.used(ticket, Math.min(ticket.last, ticket.first + this.random.nextInt(4)));
		}
		else {
			this.ended++;
		}
		ticket.state = State.LEAVING;
		if (ticket.isReader() || this.draining || this.random.nextInt(3) > 0) {
			release(ticket);
			return;
		}
		FuzzTicket next = newTicket(ticket.instance, SUCCESSOR_MODES.get(this.random.nextInt(SUCCESSOR_MODES.size())));
		Answer answer = this.scripts.send(Scripts.RELEASE, keys(ticket.token), ticket.token, Long.toString(ticket.used),
				next.token, Integer.toString(next.lease), how(next, next.instance.mark(this.random)));
		if (answer != null) {
			done(ticket);
		}
		attempted(next, answer);
	}

	private void release(FuzzTicket ticket) {
		if (this.words.release(ticket, this.keys.get(0)) || this.scripts.send(Scripts.RELEASE, keys(ticket.token),
				ticket.token, Long.toString(ticket.used)) != null) {
			done(ticket);
		}
	}

	private void cancel(FuzzTicket ticket) {
		ticket.state = State.CANCELLING;
		if (this.scripts.send(Scripts.CANCEL, keys(ticket.token), ticket.token) != null) {
			done(ticket);
		}
	}

	private void done(FuzzTicket ticket) {
		ticket.state = State.DONE;
		this.tickets.remove(ticket);
	}

	private void renew(FuzzTicket ticket) {
		String lease = Integer.toString(ticket.lease);
		Answer answer = ticket.isReader()
				? this.scripts.send(Scripts.READ_RENEW, List.of(this.keys.get(0), this.keys.get(2)), ticket.token,
						Long.toString(ticket.first), lease)
				: this.scripts.send(Scripts.RENEW, this.keys.subList(0, 1), ticket.grant(), lease);
		if (answer == null) {
			return;
		}
		// A lease that has ended here may be renewed, but is not valid.
		boolean valid = ticket.isValid(UnreliableScripts.nowMicros());
		if (valid && "1".equals(answer.value())) {
			ticket.endMicros = Math.max(ticket.endMicros, answer.sentMicros() + 1000L * ticket.lease - MARGIN_MICROS);
		}
		else if (valid) {
			this.violations.add("LOST: " + ticket + " is gone " + (ticket.endMicros - UnreliableScripts.nowMicros())
					+ " us before its lease ends: " + ScriptInvariants.snapshot(this.scripts, this.keys));
		}
	}

	private void receive() {
		this.mail.due(this.instances).stream().filter((text) -> !text.startsWith("ended|")).forEach(this::read);
	}

	private void read(String message) {
		String[] parts = message.split("[|]");
		FuzzTicket ticket = pick(this.tickets, (any) -> any.token.equals(parts[0]));
		if (ticket == null) {
			// Unknown grants are released.
			this.scripts.send(Scripts.RELEASE, keys(parts[0]), parts[0], "0");
		}
		else if (ticket.state == State.WAITING) {
			ticket.askMicros = 0;
			if (ticket.instance.isCounted() || this.random.nextBoolean()) {
				this.byMessage++;
				enter(ticket, Long.parseLong(parts[1]), Long.parseLong(parts[2]),
						Long.parseLong(parts[4]) + 1000 * Long.parseLong(parts[3]));
			}
		}
	}

	/** End all tickets. Each waiting one must be granted the lock. */
	private void drain() {
		this.draining = true;
		this.scripts.becomeReliable();
		this.mail.becomeReliable();
		this.instances.stream().filter((any) -> any.mark(new Random(1)).equals("N")).forEach(FuzzInstance::toggleInbox);
		long end = UnreliableScripts.nowMicros() + 60_000_000;
		while (!this.tickets.isEmpty() && UnreliableScripts.nowMicros() < end) {
			receive();
			askWhoIsDue();
			with(State.HOLDING, this::leave);
			with(State.LEAVING, this::release);
			with(State.CANCELLING, this::cancel);
		}
		this.tickets.forEach((ticket) -> this.violations.add("STARVED: " + ticket));
		while (this.violations.isEmpty() && !ScriptInvariants.isClean(this.scripts, this.keys)) {
			if (UnreliableScripts.nowMicros() > end) {
				this.violations.add("LEFT OVER: " + ScriptInvariants.snapshot(this.scripts, this.keys));
			}
			receive();
			FuzzTicket probe = newTicket(this.instances.get(0), "");
			attempt(probe);
			with((probe.state == State.HOLDING) ? State.HOLDING : State.WAITING,
					(probe.state == State.HOLDING) ? this::leave : this::cancel);
		}
	}

	String figures() {
		return "%s without scripts, %d tickets, %d commands, %d entries, %d of them beside others, %d messages, %d leases left to end, %d JVMs"
			.formatted(this.words.figures(), this.made, this.scripts.sends(), this.oracle.entries(),
					this.oracle.shared(), this.byMessage, this.ended, this.born);
	}

	@Override
	public void close() {
		this.instances.forEach(FuzzInstance::close);
		this.scripts.close();
	}

	/**
	 * Delivers messages of the server to JVMs: some late, in another order, or never.
	 */
	private static final class UnreliableMail {

		private static final int LATEST_MILLIS = 120;

		private final Random random;

		private final List<Letter> letters = new ArrayList<>();

		private boolean reliable;

		UnreliableMail(Random random) {
			this.random = random;
		}

		/** Return the messages that have arrived by now, delayed ones included. */
		List<String> due(List<FuzzInstance> instances) {
			for (FuzzInstance instance : instances) {
				for (String text : instance.messages()) {
					int fate = this.reliable ? 99 : this.random.nextInt(100);
					long delay = (fate < 25) ? 1000L * this.random.nextInt(LATEST_MILLIS) : 0;
					if (fate >= 8) {
						this.letters.add(new Letter(UnreliableScripts.nowMicros() + delay, instance, text));
					}
				}
			}
			long now = UnreliableScripts.nowMicros();
			List<Letter> due = this.letters.stream().filter((any) -> this.reliable || any.dueMicros <= now).toList();
			this.letters.removeAll(due);
			return due.stream().filter((any) -> any.instance.isAlive()).map(Letter::text).toList();
		}

		void becomeReliable() {
			this.reliable = true;
		}

		private record Letter(long dueMicros, FuzzInstance instance, String text) {
		}

	}

	/**
	 * Judges which tickets hold the lock at the same time, and with which fencing tokens.
	 */
	static final class HoldOracle {

		/** Tickets of dead JVMs included: such a JVM could have been paused instead. */
		private final List<FuzzTicket> holders = new ArrayList<>();

		private final List<String> violations;

		private long highestOfWriters;

		private long highest;

		private int entries;

		private int shared;

		HoldOracle(List<String> violations) {
			this.violations = violations;
		}

		/** A ticket enters now, with the first token of its grant. */
		void entered(FuzzTicket ticket, long nowMicros) {
			this.entries++;
			this.holders.removeIf((other) -> !other.isValid(nowMicros));
			this.shared += this.holders.isEmpty() ? 0 : 1;
			for (FuzzTicket other : this.holders) {
				if (!ticket.isReader() || !other.isReader()) {
					this.violations.add("OVERLAP: " + ticket + " enters beside " + other + ", which holds for "
							+ (other.endMicros - nowMicros) + " us more");
				}
			}
			this.holders.add(ticket);
			for (FuzzTicket holder : this.holders) {
				List<FuzzTicket> before = this.holders.stream().filter((other) -> other.first < holder.first).toList();
				if (holder.isReader() && before.size() >= holder.permits()) {
					this.violations.add("ONE TOO MANY: " + holder + " holds beside " + before);
				}
			}
			long before = ticket.isReader() ? this.highestOfWriters : this.highest;
			if (ticket.first <= before) {
				this.violations.add(
						"FALLING TOKEN: " + ticket + " enters with " + ticket.first + " after " + before + " was used");
			}
			used(ticket, ticket.first);
		}

		/** A ticket that holds uses one more of its tokens. */
		void used(FuzzTicket ticket, long token) {
			ticket.used = token;
			this.highest = Math.max(this.highest, token);
			if (!ticket.isReader()) {
				this.highestOfWriters = Math.max(this.highestOfWriters, token);
			}
		}

		int entries() {
			return this.entries;
		}

		/** How many tickets entered while others held. */
		int shared() {
			return this.shared;
		}

	}

	/**
	 * The invariants of base.lua about the keys of a lock between two scripts.
	 */
	private static final class ScriptInvariants {

		private static final String SNAPSHOT = """
				return { redis.call('GET', KEYS[1]) or '', redis.call('PTTL', KEYS[1]),
				  redis.call('ZRANGEBYSCORE', KEYS[2], 0, '(1e12'), redis.call('PTTL', KEYS[2]),
				  redis.call('ZCARD', KEYS[3]), redis.call('PTTL', KEYS[3]),
				  redis.call('ZCOUNT', KEYS[2], '1e12', '1e13') }
				""";

		/** A key without a TTL. */
		private static final long FOREVER = -1;

		private ScriptInvariants() {
		}

		/**
		 * Look once.
		 * @param portions whether readers may be at the head still after a script
		 */
		static List<String> violations(UnreliableScripts scripts, List<String> keys, boolean portions) {
			Snapshot now = snapshot(scripts, keys);
			List<String> found = new ArrayList<>();
			if (now.lockTtl == FOREVER || now.queueTtl == FOREVER || now.readersTtl == FOREVER) {
				found.add("a key has no TTL");
			}
			if ((now.word.startsWith("-") || now.word.startsWith("|")) && !now.queue.isEmpty()) {
				found.add("tickets wait for a lock that says that none does");
			}
			String owner = now.word.replaceFirst("^[-+*]([^|]*).*", "$1");
			if (now.queue.contains(owner)) {
				found.add("the ticket that owns the lock is in the queue");
			}
			if (now.word.startsWith("~") && !now.queue.isEmpty() && now.queue.get(0).startsWith("!")) {
				found.add("a claim is before the tickets that wait for readers");
			}
			if (isReaders(owner) && now.queue.stream().anyMatch(ScriptInvariants::isReaders)) {
				found.add("a reader waits while another one owns the lock");
			}
			if (!portions && now.word.startsWith("~") && !now.queue.isEmpty()
					&& Ticket.of("", now.queue.get(0)).mayJoin((int) now.readers / 2)) {
				found.add("a ticket stands first in the queue that may join those that hold");
			}
			if (now.notes != now.queue.stream().filter((member) -> !member.startsWith("!")).count()) {
				found.add("tickets without a note, or notes without a ticket: " + now.notes);
			}
			return found.stream().map((what) -> "INVARIANT: " + what + ": " + now).toList();
		}

		private static boolean isReaders(String token) {
			return token.contains(":FR") || token.contains(":F0");
		}

		/** Whether nothing is left but a tombstone, which ends by itself. */
		static boolean isClean(UnreliableScripts scripts, List<String> keys) {
			Snapshot now = snapshot(scripts, keys);
			return now.word.startsWith("|") && now.lockTtl > 0 && now.lockTtl < 11_000 && now.queue.isEmpty()
					&& now.readers == 0;
		}

		static Snapshot snapshot(UnreliableScripts scripts, List<String> keys) {
			List<?> all = (List<?>) scripts.look(SNAPSHOT, keys);
			return new Snapshot((String) all.get(0), (Long) all.get(1),
					((List<?>) all.get(2)).stream().map(String.class::cast).toList(), (Long) all.get(3),
					(Long) all.get(4), (Long) all.get(5), (Long) all.get(6));
		}

		/** The keys of a lock in one moment. */
		record Snapshot(String word, long lockTtl, List<String> queue, long queueTtl, long readers, long readersTtl,
				long notes) {
		}

	}

}
