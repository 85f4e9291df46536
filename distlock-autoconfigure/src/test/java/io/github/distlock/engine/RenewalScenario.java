package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Hold.HoldPhase;
import io.github.distlock.engine.Waiter.FutureWaiter;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.thread.LockTimers;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.support.ExecutorServiceAdapter;

import static io.github.distlock.testing.StepCase.duration;

/**
 * A renewer with a manual clock and a store of the test, driven by the steps of a text.
 * What follows is each batch that was sent, by its size or the key of its only lease, and
 * each loss. A lease has 30 s and is watched if the step does not say more.
 */
final class RenewalScenario implements LockListener {

	static final Duration LEASE = Duration.ofSeconds(30);

	final ManualClock clock = new ManualClock();

	final ManualTimers timers = new ManualTimers(this.clock);

	/** The key and the reason of each loss. */
	final List<String> lost = new ArrayList<>();

	/** How many of the next uses of a part fail. */
	final Map<String, Integer> errors = new HashMap<>();

	int released;

	/** Runs while a report of a loss fails, as another thread would. */
	Consumer<Hold> whileReported = (hold) -> {
	};

	private final LockStore store = new Store();

	final HeldLocks heldLocks = new HeldLocks(this.store, IdleStore.DESCRIPTION,
			keys(this.store, this.clock, threads()), CheckedEnvironment.of(this.clock), threads(),
			new LockListeners(() -> List.of(this), new LockRecording("test", false)), false, false,
			ThreadLocal.withInitial(HashMap::new)) {

		@Override
		public void lost(Hold hold, HoldPhase before, List<Runnable> callbacks) {
			RenewalScenario.this.lost(hold);
		}

	};

	final LeaseRenewer renewer = this.heldLocks.renewer();

	final Map<String, Hold> holds = new LinkedHashMap<>();

	/** Tasks that the executor rejected, and runs nevertheless. */
	private final List<Runnable> rejected = new ArrayList<>();

	private final List<List<Renewal>> batches = new ArrayList<>();

	/** The answers that were withheld, in the order of their batches. */
	private final List<CompletableFuture<List<RenewalResult>>> withheld = new ArrayList<>();

	/** Runs while a renewal is under way. */
	private Runnable meanwhile = () -> {
	};

	/** What the store does, for all keys or for one. */
	private String verb = "answers";

	private String keyOfVerb = "";

	private LongSupplier session = () -> Long.MAX_VALUE;

	private @Nullable Duration lateness;

	private int failed;

	private long tickets;

	private int shownBatches;

	private int shownLosses;

	/** Make several steps; answer what the last one asked for, or what followed. */
	String steps(String steps) {
		String last = null;
		for (String step : steps.strip().split("; ")) {
			last = step(step.split(" "));
		}
		return (last != null) ? last : news();
	}

	private @Nullable String step(String... words) {
		Hold hold = this.holds.get(words[0]);
		if (hold != null) {
			return (words.length > 1) ? ofHold(hold, words) : state(hold);
		}
		return switch (words[0]) {
			case "late" -> {
				Duration late = Objects.requireNonNull(this.lateness, "no renewal was reported");
				yield (late.toMillis() < 100) ? "no" : late.toSeconds() + "s";
			}
			case "failed" -> Integer.toString(this.failed);
			case "losses" -> String.join(", ", this.lost);
			case "watched" -> Integer.toString(this.renewer.size());
			case "held" -> Long.toString(this.holds.values().stream().filter(Hold::isValid).count());
			case "left" -> Integer
				.toString(this.timers.errors + this.errors.values().stream().mapToInt((n) -> Math.max(0, n)).sum());
			case "watch" -> afterwards(() -> watch(words));
			case "pass" -> afterwards(() -> this.timers.pass(duration(words[1])));
			case "store" -> afterwards(() -> store(words[1], (words.length > 2) ? words[2] : ""));
			case "session" -> afterwards(() -> session(words[1]));
			case "answer" -> afterwards(() -> answer(Integer.parseInt(words[1])));
			case "fail" -> afterwards(() -> this.withheld.get(Integer.parseInt(words[1]))
				.completeExceptionally(new LockBackendException("injected failure")));
			case "commands" -> afterwards(() -> this.meanwhile = () -> this.clock.pass(duration(words[2])));
			case "meanwhile" -> afterwards(() -> this.meanwhile = () -> {
				this.meanwhile = () -> {
				};
				step(List.of(words).subList(1, words.length).toArray(String[]::new));
			});
			case "settingTakes" ->
				afterwards(() -> this.timers.afterSetting = () -> this.timers.pass(duration(words[1])));
			case "renewAll" -> afterwards(this.renewer::renewAll);
			case "errors" -> afterwards(() -> fail(words[1], Integer.parseInt(words[2])));
			case "runRejected" -> afterwards(() -> this.rejected.remove(0).run());
			default -> throw new IllegalArgumentException(words[0]);
		};
	}

	private @Nullable String ofHold(Hold hold, String... words) {
		return switch (words[1]) {
			case "renewNow" -> afterwards(() -> this.renewer.renewNow(List.of(hold.ticket)));
			case "retained" -> afterwards(() -> hold.retain());
			case "expires" -> Boolean.toString(this.renewer.expireAfter(hold, duration(words[2])));
			default -> throw new IllegalArgumentException(words[1]);
		};
	}

	private static String state(Hold hold) {
		return (hold.isValid() ? "held" : "lost") + (hold.isAtRisk() ? " at risk" : "");
	}

	private static @Nullable String afterwards(Runnable change) {
		change.run();
		return null;
	}

	private String news() {
		List<String> news = new ArrayList<>();
		for (int from = this.shownBatches, to = from; from < this.batches.size(); from = to) {
			String batch = text(this.batches.get(from));
			while (to < this.batches.size() && text(this.batches.get(to)).equals(batch)) {
				to++;
			}
			news.add((to - from == 1) ? batch : (to - from) + " x " + batch);
		}
		news.addAll(this.lost.subList(this.shownLosses, this.lost.size()));
		this.shownBatches = this.batches.size();
		this.shownLosses = this.lost.size();
		return String.join(", ", news);
	}

	private static String text(List<Renewal> batch) {
		return (batch.size() == 1) ? batch.get(0).ticket().key() : Integer.toString(batch.size());
	}

	private void store(String verb, String key) {
		this.verb = verb;
		this.keyOfVerb = key;
	}

	private boolean does(String verb, Renewal renewal) {
		return this.verb.equals(verb) && renewal.ticket().key().equals(this.keyOfVerb);
	}

	/** What was withheld comes now. */
	private void answer(int batch) {
		this.withheld.get(batch).complete(answer(this.batches.get(batch), this.clock.now()));
	}

	private List<RenewalResult> answer(List<Renewal> renewals, TimeSource.Instant sent) {
		if (renewals.stream().anyMatch((renewal) -> does("throws", renewal))) {
			throw new IllegalStateException("injected in the store");
		}
		if (renewals.stream().anyMatch((renewal) -> does("refuses", renewal))) {
			return Collections.nCopies(renewals.size(),
					new RenewalResult.Unknown(new LockBackendException("refused"), true));
		}
		return renewals.stream()
			.<RenewalResult>map((renewal) -> this.verb.equals("forgets") ? new RenewalResult.Gone(false)
					: new RenewalResult.Extended(does("garbles", renewal) ? Validity.session(RenewalScenario::broken)
							: Validity.until(sent, renewal.lease())))
			.toList();
	}

	private void session(String verb) {
		this.session = switch (verb) {
			case "lives" -> () -> Long.MAX_VALUE;
			case "ends" -> () -> 0;
			default -> RenewalScenario::broken;
		};
	}

	private static long broken() {
		throw new IllegalStateException("injected at the session");
	}

	private void fail(String part, int times) {
		switch (part) {
			case "timer" -> this.timers.errors = times;
			case "store" -> {
				this.errors.put(part, times);
				this.meanwhile = () -> {
					if (fails(part)) {
						throw new StackOverflowError("injected at the store");
					}
				};
			}
			default -> this.errors.put(part, times);
		}
	}

	private boolean fails(String part) {
		return Objects.requireNonNullElse(this.errors.computeIfPresent(part, (any, times) -> times - 1), -1) >= 0;
	}

	/** The executor of the renewer. */
	private void execute(Runnable task) {
		if (fails("rejectsAndRuns")) {
			this.rejected.add(task);
			throw new InternalError("injected after the task was added");
		}
		if (fails("rejects")) {
			throw new RejectedExecutionException("injected at the executor");
		}
		if (fails("thread")) {
			throw new InternalError("injected at the executor");
		}
		task.run();
	}

	private void lost(Hold hold) {
		if (fails("report")) {
			this.whileReported.accept(hold);
			throw new OutOfMemoryError("injected at the report");
		}
		this.lost.add(hold.key() + ": " + Objects.requireNonNull(hold.lossCause()).description());
	}

	@Override
	public void onReleased(Released event) {
		this.released++;
	}

	@Override
	public void onRenewed(Renewed event) {
		this.failed += event.failed();
		this.lateness = event.lateness();
	}

	/** Such as {@code watch a for 10s granted 5s}, or many with a number for a name. */
	private void watch(String... words) {
		List<String> options = List.of(words);
		Duration lease = option(options, "lease", LEASE);
		LeaseTerms terms = new LeaseTerms(lease, lease, true, option(options, "max", null), null);
		for (String limited : List.of("for", "minHold")) {
			if (options.contains(limited)) {
				lease = option(options, limited, LEASE);
				terms = new LeaseTerms(lease, LeaseTerms.lasting(lease), false, null, option(options, "minHold", null));
			}
		}
		Validity validity = options.contains("session") ? Validity.session(() -> this.session.getAsLong())
				: Validity.until(this.clock.now(), option(options, "granted", terms.storeLease()));
		this.clock.pass(option(options, "after", Duration.ZERO));
		Duration pause = option(options, "each", Duration.ZERO);
		List<String> keys = words[1].matches("\\d+")
				? IntStream.range(0, Integer.parseInt(words[1])).mapToObj((i) -> "k" + i).toList() : List.of(words[1]);
		for (String key : keys) {
			watch(key, pause.isZero() ? validity : Validity.until(this.clock.now(), lease), terms);
			this.clock.pass(pause);
		}
	}

	private static Duration option(List<String> options, String name, @Nullable Duration otherwise) {
		int index = options.indexOf(name);
		return (index >= 0) ? duration(options.get(index + 1)) : otherwise;
	}

	Hold watch(String key, Validity validity, LeaseTerms terms) {
		Hold hold = grant(LockRequest.of(key).name("orders"), validity, terms);
		hold.takeOver();
		this.renewer.watch(hold);
		this.holds.put(key, hold);
		return hold;
	}

	/** A lock that its caller has not taken over. */
	Hold grant(LockRequest request, Validity validity, LeaseTerms terms) {
		return grant(new FutureWaiter(this.heldLocks, request, terms, Duration.ZERO, 1, this.clock.nanoTime(),
				this::execute), validity, terms);
	}

	Hold grant(Waiter waiter, Validity validity, LeaseTerms terms) {
		Ticket ticket = new Ticket(waiter.key(), LockMode.EXCLUSIVE, "me", this.tickets++, false);
		return waiter.newHold(new QueuedTicket(ticket, terms.storeLease()), new Grant(1, 1, validity));
	}

	/** Held locks and keys whose commands run on the thread that asks for them. */
	static HeldLocks heldLocks(LockStore store, TimeSource clock, LockTimers timers) {
		EngineThreads threads = threads(Runnable::run, timers);
		return new HeldLocks(store, IdleStore.DESCRIPTION, keys(store, clock, threads), CheckedEnvironment.of(clock),
				threads, new LockListeners(List::of, new LockRecording("test", false)), false, false,
				ThreadLocal.withInitial(HashMap::new));
	}

	static KeyTable keys(LockStore store, TimeSource clock, EngineThreads threads) {
		return new KeyTable(store, IdleStore.DESCRIPTION, "me", Duration.ofSeconds(10), TestSettings.NO_HAND_OFF,
				CheckedEnvironment.of(clock), threads);
	}

	private EngineThreads threads() {
		return threads(this::execute, this.timers);
	}

	static EngineThreads threads(Executor executor, LockTimers timers) {
		ExecutorService service = new ExecutorServiceAdapter(executor::execute) {

			@Override
			public void shutdown() {
			}

			@Override
			public List<Runnable> shutdownNow() {
				return List.of();
			}

			@Override
			public boolean awaitTermination(long timeout, TimeUnit unit) {
				return true;
			}

		};
		return new EngineThreads(service, service, service, timers);
	}

	static LeaseTerms watched(Duration lease) {
		return new LeaseTerms(lease, lease, true, null, null);
	}

	/** Renews or fails as a step says, and records the renewals. */
	private final class Store extends IdleStore {

		@Override
		public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
			RenewalScenario.this.batches.add(renewals);
			if (RenewalScenario.this.verb.equals("fails")) {
				throw new LockBackendException("no answer");
			}
			TimeSource.Instant sent = RenewalScenario.this.clock.now();
			RenewalScenario.this.meanwhile.run();
			if (RenewalScenario.this.verb.equals("withholds")) {
				CompletableFuture<List<RenewalResult>> answer = new CompletableFuture<>();
				RenewalScenario.this.withheld.add(answer);
				return answer;
			}
			return CompletableFuture.completedFuture(answer(renewals, sent));
		}

	}

}
