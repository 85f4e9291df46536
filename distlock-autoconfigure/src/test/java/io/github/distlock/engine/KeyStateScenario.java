package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Effects.Command;
import io.github.distlock.engine.KeyContext.KeySettings;
import io.github.distlock.engine.PendingReleases.PendingRelease;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TestSettings;
import org.jspecify.annotations.Nullable;

import static io.github.distlock.testing.StepCase.duration;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The state of one key, driven by the steps of a text. Callers have letters, tickets
 * numbers, and a grant has the tokens from 100 on. A lease and a wait are 10 s if the
 * step does not say more.
 */
final class KeyStateScenario implements KeyContext {

	static final Duration LEASE = Duration.ofSeconds(10);

	static final long FIRST_TOKEN = 100;

	private static final LockBackendException FAILURE = new LockBackendException("no answer");

	final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final HeldLocks heldLocks = RenewalScenario.heldLocks(new IdleStore() {
	}, this.clock, this.timers);

	final KeyState state = newState();

	final WaiterCounts waiterCounts = new WaiterCounts();

	private HandOffLimits limits = TestSettings.NO_HAND_OFF;

	private long tickets;

	/** Whether this key state repeats the attempts for its key. */
	private boolean retriesForKey = true;

	private boolean timersFail;

	/** Whether commands are not sent, since too many others are. */
	private boolean full;

	private boolean leftQueue;

	private int requeuedAtEndCalls;

	private boolean removed;

	private @Nullable LockBackendException failureOfOthers;

	private final Map<String, Waiter> waiters = new LinkedHashMap<>();

	/** What was known of each caller after the step before. */
	private final Map<String, String> known = new LinkedHashMap<>();

	/** The command whose answer is to come. */
	private @Nullable Command inFlight;

	/** The command before the last one, or the last one if it was answered. */
	private @Nullable Command earlier;

	private boolean over;

	/** Make several steps, and answer what followed from the last one. */
	String steps(String steps) {
		String last = "";
		for (String step : steps.split(";")) {
			last = step(step.strip());
		}
		return last;
	}

	/**
	 * Make a step, and answer what followed from it: the command, how callers ended,
	 * {@code later} if they are not woken yet, and whether the key state is over.
	 * {@code ignored} if the key state refuses the step.
	 */
	String step(String step) {
		String[] words = step.split(" ");
		Waiter waiter = this.waiters.get(words[0]);
		if (waiter != null) {
			return result(ofCaller(waiter, words[1], words));
		}
		switch (step) {
			case "place" -> {
				return place();
			}
			case "order" -> {
				return this.leftQueue ? "left" : (this.requeuedAtEndCalls > 0) ? "last again" : "as before";
			}
			case "send" -> {
				Command sent = (this.earlier != null) ? this.earlier : this.inFlight;
				return Objects.requireNonNull(sent).beginSend() ? "sent" : "not sent";
			}
			default -> {
			}
		}
		if (words.length > 1 && words[1].equals("joins")) {
			this.waiters.put(words[0], caller(step.replaceFirst("\\w+ joins ?", "")));
			return result(this.state.join(this.waiters.get(words[0])));
		}
		return result(switch (words[0]) {
			case "answer" -> answer(step.substring("answer ".length()));
			case "fails" -> this.state.failed(ended(flown()), FAILURE);
			case "failsForGood" -> this.state.failed(ended(flown()), new StoreUnusableException("no table", null));
			case "message" -> this.state.granted(ticket(words[1]), grant(words, 2));
			case "pass" -> afterwards(() -> this.clock.pass(duration(words[1])));
			case "timer" -> this.state.timerFired();
			case "lateAnswer" ->
				this.state.attemptAnswered((Command.Attempt) Objects.requireNonNull(this.earlier), result(words[1]));
			case "ends" -> afterwards(() -> Objects.requireNonNull(this.inFlight).end());
			case "sweep" -> sweep((words.length > 1) ? Integer.parseInt(words[1]) : 1);
			case "retry" -> this.state.retry(null);
			case "waitersFail" -> this.state.failWaiters(FAILURE);
			case "limits" ->
				afterwards(() -> this.limits = new HandOffLimits(Integer.parseInt(words[1]), duration(words[2])));
			case "full" -> afterwards(() -> this.full = true);
			case "noTimers" -> afterwards(() -> this.timersFail = true);
			case "othersRetry" -> afterwards(() -> this.retriesForKey = words[1].equals("false"));
			default -> throw new IllegalArgumentException(step);
		});
	}

	private Effects sweep(int count) {
		Effects effects = Effects.NONE;
		for (int i = 0; i < count; i++) {
			effects = this.state.sweep();
		}
		return effects;
	}

	PendingRelease newRelease(Hold hold) {
		return new PendingRelease(hold, this.clock.nanoTime() + LEASE.toNanos());
	}

	private static Effects afterwards(Runnable change) {
		change.run();
		return Effects.NONE;
	}

	private Effects ofCaller(Waiter waiter, String verb, String[] words) {
		return switch (verb) {
			case "leaves" -> this.state.release(hold(waiter), newRelease(hold(waiter)));
			case "handsOff" -> this.state.tryHandOff(hold(waiter));
			case "givesUp" -> this.state.giveUp(waiter, false);
			case "timesOut" -> this.state.giveUp(waiter, true);
			case "takesOver" -> afterwards(() -> hold(waiter).takeOver());
			case "expiresAfter" ->
				afterwards(() -> assertThat(hold(waiter).holdLease.expireAfter(duration(words[2]))).isTrue());
			case "isGone" -> afterwards(() -> hold(waiter).leave());
			case "leavesItsLevel" -> afterwards(() -> assertThat(hold(waiter).leaveLevel(false)).isTrue());
			case "isReleasing" -> afterwards(() -> assertThat(hold(waiter).endLease()).isPositive());
			default -> throw new IllegalArgumentException(verb);
		};
	}

	/** A caller such as {@code once lease 1h max 1}, or {@code 5s}. */
	Waiter caller(String terms) {
		List<String> options = List.of(terms.split(" "));
		Duration wait = LEASE;
		if (options.get(0).matches("once|forever|\\d.*")) {
			wait = switch (options.get(0)) {
				case "once" -> Duration.ZERO;
				case "forever" -> LockRequest.FOREVER;
				default -> duration(options.get(0));
			};
		}
		String max = option(options, "max");
		Duration lease = lease(options);
		return new Waiter(this.heldLocks, LockRequest.of("key"), new LeaseTerms(lease, lease, true, null, null), wait,
				(max != null) ? Integer.parseInt(max) : Integer.MAX_VALUE, this.clock.nanoTime()) {

			@Override
			void wake() {
			}

		};
	}

	private static Duration lease(List<String> options) {
		String value = option(options, "lease");
		return (value != null) ? duration(value) : LEASE;
	}

	private static @Nullable String option(List<String> options, String name) {
		int index = options.indexOf(name);
		return (index >= 0) ? options.get(index + 1) : null;
	}

	private static Command ended(Command command) {
		command.end();
		return command;
	}

	private Command flown() {
		Command flown = Objects.requireNonNull(this.inFlight, "No command is in flight");
		this.inFlight = null;
		this.earlier = flown;
		return flown;
	}

	private Effects answer(String answer) {
		Command command = flown();
		if (command instanceof Command.Attempt attempt) {
			return this.state.attemptAnswered(attempt, result(answer));
		}
		String[] parts = answer.split(", ");
		return this.state.releaseAnswered((Command.Release) command, parts[0].equals("done") ? null
				: new ReleaseResult(parts[0].equals("released"), (parts.length > 1) ? result(parts[1]) : null));
	}

	private AttemptResult result(String answer) {
		String[] words = answer.split(" ");
		return switch (words[0]) {
			case "granted" -> grant(words, 1);
			case "queued" -> new AttemptResult.Queued(Duration.ofSeconds(2), true);
			case "unqueued" -> new AttemptResult.Queued(Duration.ofMillis(200), false);
			case "unattempted" -> new AttemptResult.Queued(Duration.ofMillis(100), false, null, FAILURE);
			case "busy" -> new AttemptResult.Busy(LEASE);
			default -> throw new IllegalArgumentException(answer);
		};
	}

	/** With so many tokens, or one, and valid for a lease, or {@code expired}. */
	private Grant grant(String[] words, int from) {
		List<String> options = List.of(words).subList(from, words.length);
		int tokens = (!options.isEmpty() && options.get(0).matches("\\d+")) ? Integer.parseInt(options.get(0)) : 1;
		return new Grant(FIRST_TOKEN, FIRST_TOKEN + tokens - 1,
				Validity.until(this.clock.now(), options.contains("expired") ? Duration.ZERO : LEASE));
	}

	private static Ticket ticket(String number) {
		return new Ticket("key", LockMode.EXCLUSIVE, "me", Integer.parseInt(number), false);
	}

	/** Whether one more caller that waits only if no other does would wait. */
	private String place() {
		Waiter waiter = caller("max 1");
		Effects effects = Objects.requireNonNull(this.state.join(waiter));
		if (waiter.outcome() == null) {
			this.state.giveUp(waiter, false);
			return "free";
		}
		return (text(waiter).equals("is one too many") && effects.command() == null) ? "taken" : text(waiter);
	}

	private String result(@Nullable Effects effects) {
		List<String> parts = new ArrayList<>();
		if (effects == null) {
			parts.add("ignored");
		}
		Command command = (effects != null) ? effects.command() : null;
		if (command != null) {
			this.earlier = (this.inFlight != null) ? this.inFlight : this.earlier;
			this.inFlight = command;
			if (!this.full) {
				command.beginSend();
			}
			parts.add(text(command));
		}
		this.waiters.forEach((name, waiter) -> {
			boolean woken = effects != null && effects.woken().contains(waiter);
			String end = text(waiter);
			boolean ended = !end.equals(this.known.put(name, end)) && !end.isEmpty();
			if (ended) {
				parts.add(name + " " + end + (woken ? "" : " later"));
			}
			else if (woken) {
				parts.add(name + " is woken");
			}
		});
		if (effects != null && effects.stray() != null) {
			parts.add("stray " + effects.stray().number());
		}
		if (this.removed && !this.over) {
			parts.add("over");
		}
		this.over = this.removed;
		return String.join(", ", parts);
	}

	private static String text(Command command) {
		if (command instanceof Command.Attempt attempt) {
			return "attempt " + attempt.ticket.number() + (attempt.queue ? "" : " once") + lease(attempt.lease);
		}
		Command.Release release = (Command.Release) command;
		Successor next = release.next;
		return (release.pending.releasesLock ? "release " : "cancel ") + release.pending.ticket.number()
				+ (release.pending.releasesLock ? ":" + release.pending.lastToken : "")
				+ ((next != null) ? " then " + next.ticket().number() + lease(next.lease()) : "");
	}

	/** How a caller ended, empty while it waits. */
	static String text(Waiter waiter) {
		WaitOutcome outcome = waiter.outcome();
		if (outcome instanceof Hold hold) {
			assertThat(hold.grantToken()).isEqualTo(FIRST_TOKEN);
			return "enters " + hold.ticket.number() + ":" + hold.fencingToken() + " " + hold.handOff()
					+ lease(hold.lease);
		}
		if (outcome instanceof WaitOutcome.Refused refused) {
			return (refused.reason() == LockOutcome.TOO_MANY_WAITING) ? "is one too many" : "is refused";
		}
		return (outcome == null) ? "" : (outcome instanceof WaitOutcome.Failure) ? "fails" : "has given up";
	}

	/** Another state of the same key, as that of a caller with its own ticket. */
	KeyState newState() {
		return new KeyState("key", new ReentrantLock(), this);
	}

	Hold hold(String name) {
		return hold(Objects.requireNonNull(this.waiters.get(name)));
	}

	private static Hold hold(Waiter waiter) {
		return (Hold) Objects.requireNonNull(waiter.outcome());
	}

	private static String lease(Duration lease) {
		return lease.equals(LEASE) ? "" : " for " + lease;
	}

	@Override
	public KeySettings settings() {
		return new KeySettings(this.clock, EngineEnvironment.SYSTEM.random(), this.limits, Duration.ofSeconds(3),
				Duration.ofSeconds(2), this.waiterCounts, CheckedEnvironment.of(this.clock).invariants());
	}

	@Override
	public boolean retriesForKey() {
		return this.retriesForKey;
	}

	@Override
	public void requeuedAtEnd() {
		this.requeuedAtEndCalls++;
	}

	@Override
	public void storeFailed(LockBackendException cause, boolean tooLong) {
		this.failureOfOthers = cause;
	}

	@Override
	public void storeAnswered() {
		this.failureOfOthers = null;
	}

	@Override
	public @Nullable LockBackendException storeFailure() {
		return this.failureOfOthers;
	}

	@Override
	public void leftQueue() {
		this.leftQueue = true;
	}

	@Override
	public Ticket newTicket(String key, Waiter first) {
		return new Ticket(key, first.mode(), "me", ++this.tickets, false);
	}

	@Override
	public void remove(String key) {
		this.removed = true;
	}

	@Override
	public boolean scheduleTimer(KeyState state, long delayNanos) {
		assertThat(delayNanos).as("timers that fire at once, again and again").isPositive();
		return !this.timersFail;
	}

}
