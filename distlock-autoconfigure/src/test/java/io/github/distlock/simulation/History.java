package io.github.distlock.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.engine.KeySnapshot;
import io.github.distlock.simulation.Call.End;
import org.jspecify.annotations.Nullable;

/**
 * What happened: the calls of all JVMs, as their callers and as the listeners have seen
 * them. {@link Rules} judges it.
 */
final class History {

	private final World world;

	final Rules rules;

	final Costs costs;

	final Watch watch;

	/** How often what happened. */
	final Map<String, Long> totals = new TreeMap<>();

	/** All calls, in the order in which they began. */
	final List<Call> calls = new ArrayList<>();

	/** All calls that have entered, in that order, by key. */
	private final Map<String, List<Call>> entries = new HashMap<>();

	private final Map<String, Call> byLabel = new HashMap<>();

	/** The last grant of each JVM and key, by both. */
	private final Map<String, Call> lastGrants = new HashMap<>();

	/** The call that a thread makes, for those without a name. */
	private final Map<SimulatedThread, Call> byThread = new IdentityHashMap<>();

	/** The calls by JVM, key and token. */
	private final Map<String, Call> byToken = new HashMap<>();

	/** When the registry of a JVM was closed last. */
	private final Map<String, Long> restarts = new HashMap<>();

	private final Map<String, Long> crashes = new HashMap<>();

	History(World world) {
		this.world = world;
		this.rules = new Rules(world, this);
		this.costs = new Costs(world, this);
		this.watch = new Watch(world, this);
	}

	void count(String what) {
		this.totals.merge(what, 1L, Long::sum);
	}

	private long now() {
		return this.world.scheduler.nanos();
	}

	void fault(Fault fault, SimulatedJvm jvm) {
		this.rules.fault(fault);
		if (fault.kind() == Fault.Kind.RESTART_REGISTRY) {
			this.restarts.put(jvm.name, now());
		}
	}

	void crashed(SimulatedJvm jvm) {
		count("crashes");
		this.crashes.put(jvm.name, now());
	}

	/** When the JVM of a call has crashed, {@link Call#NEVER} if not. */
	long crashedAt(Call call) {
		return this.crashes.getOrDefault(call.jvm.name, Call.NEVER);
	}

	/** Whether the registry was closed since a call began. */
	boolean hasRestarted(Call call) {
		return this.restarts.getOrDefault(call.jvm.name, -1L) >= call.started;
	}

	/** When the registry of the JVM of a call was closed last, since it began. */
	long restartedAt(Call call) {
		return hasRestarted(call) ? this.restarts.getOrDefault(call.jvm.name, 0L) : -1;
	}

	void begin(Call call) {
		call.started = now();
		this.calls.add(call);
		this.costs.begins(call);
		this.byLabel.put(call.label, call);
		this.byThread.put(this.world.scheduler.current(), call);
		count("calls");
		this.world.trace(call.label,
				call.how + " " + call.key() + " " + call.request.mode() + (call.request.fair() ? " fair" : "")
						+ ((call.request.permits() != null) ? " permits " + call.request.permits() : "") + " wait "
						+ call.request.waitTime() + " lease " + call.request.leaseTime() + " minHold "
						+ call.request.minHold() + " of " + call.maxWaiting(this.world.plan));
	}

	/** A call has its lock. The caller of a view may have lost it already. */
	void entered(Call call, @Nullable HeldLock lock) {
		call.lock = lock;
		if (lock != null) {
			if (call.token != 0 && call.token != lock.fencingToken()) {
				this.world.violation("listener",
						call + " has the token " + lock.fencingToken() + ", and the listener was told another");
			}
			call.token = lock.fencingToken();
			call.callbacks = 0;
			lock.onLost(() -> call.callbacks++);
		}
		ended(call, End.ENTERED, null);
		this.rules.entered(call, entriesOf(call.key()));
		entriesOf(call.key()).add(call);
	}

	List<Call> entriesOf(String key) {
		return this.entries.computeIfAbsent(key, (absent) -> new ArrayList<>());
	}

	/** The keys that were ever entered, in order. */
	List<String> keys() {
		return this.entries.keySet().stream().sorted().toList();
	}

	void ended(Call call, End end, @Nullable Throwable failure) {
		call.answered = now();
		call.end = end;
		count("end " + end);
		this.world.trace(call.label, end + ((call.token != 0) ? " " + call.key() + " token " + call.token : "")
				+ ((failure != null) ? " " + failure.getClass().getSimpleName() : ""));
		this.rules.answered(call);
	}

	End failed(Call call, Throwable ex) {
		End end = End.ERROR;
		if (ex instanceof LockNotAcquiredException refusal) {
			end = switch (refusal.reason()) {
				case INTERRUPTED -> End.INTERRUPTED;
				case TOO_MANY_WAITING -> End.REFUSED;
				default -> End.TIMED_OUT;
			};
		}
		else if (ex instanceof InterruptedException) {
			end = End.INTERRUPTED;
		}
		else if (ex instanceof CancellationException && call.cancelled) {
			end = End.CANCELLED;
		}
		else if (ex instanceof LockBackendException) {
			end = End.STORE_FAILED;
		}
		else if (!(ex instanceof SimulatedError)) {
			this.world.violation("contract", call + " threw " + World.describe(ex));
		}
		ended(call, end, ex);
		return end;
	}

	void reentered(Call call, HeldLock inner) {
		count("re-entries");
		HeldLock outer = call.lock;
		if (outer != null && inner.fencingToken() != outer.fencingToken() && !hasRestarted(call)) {
			this.world.violation("S2", call + " entered again with the token " + inner.fencingToken());
		}
	}

	void noticedLoss(Call call) {
		HeldLock lock = call.lock;
		if (lock != null && this.world.scheduler.quietly(lock::isHeld)) {
			this.world.violation("contract", call + " learned of a loss, and yet holds the lock");
		}
	}

	/**
	 * A registry has been shut down for so long that all of its commands have arrived.
	 */
	void shutDown(SimulatedJvm jvm, long begun) {
		this.rules.shutDown(jvm, begun, (key) -> {
			Ticket owner = this.world.network.server.stored(key).owner;
			return owner != null && owner.instance().startsWith(jvm + "-");
		});
	}

	void leaving(Call call) {
		call.leavingSince = now();
		this.rules.leaving(call, entriesOf(call.key()));
		call.leaving = true;
		this.costs.leaves(call);
	}

	void left(Call call, @Nullable Throwable failure) {
		call.left = now();
		call.closeFailure = failure;
		this.world.trace(call.label, "leaves " + call.key() + " token " + call.token
				+ ((failure != null) ? " " + failure.getClass().getSimpleName() : ""));
		if (failure == null) {
			this.rules.left(call);
		}
		if (failure instanceof IllegalMonitorStateException) {
			this.world.violation("contract", call + " could not be closed: " + World.describe(failure));
		}
		if (failure instanceof LockLostException ex && call.lost != null && ex.lossCause() != call.lost.lossCause()) {
			this.world.violation("listener", call + " was told of the loss " + ex.lossCause() + ", and the listener of "
					+ call.lost.lossCause());
		}
	}

	void checkServerAtEnd() {
		this.totals.put("virtual ms", this.world.scheduler.nanos() / 1_000_000);
		this.totals.put("steps", this.world.scheduler.steps);
		this.rules.checkAtEnd();
	}

	/** The listener of the registry of a JVM, which asks the registry for its keys. */
	LockListener listener(SimulatedJvm jvm, Supplier<List<KeySnapshot>> keys) {
		return new LockListener() {

			@Override
			public void onWaiting(Waiting event) {
				Call call = find(jvm, event.name(), event.key(), 0);
				if (call != null) {
					count("waits");
					if (call.waiting != Call.NEVER || call.reports > 0) {
						History.this.world.violation("listener", call + " waits twice, or after its end");
					}
					call.waiting = now();
					if (History.this.world.plan.isLimited()) {
						History.this.rules.waits(call, History.this.world.scheduler.quietly(keys));
					}
				}
			}

			@Override
			public void onWaitingEnded(Waiting event) {
				Call call = find(jvm, event.name(), event.key(), 0);
				if (call != null) {
					if (call.waiting == Call.NEVER || call.waitingEnded != Call.NEVER || call.reports > 0) {
						History.this.world.violation("listener", call + " ended to wait twice, or did not wait");
					}
					call.waitingEnded = now();
				}
			}

			@Override
			public void onAttempted(Attempted event) {
				Call call = find(jvm, event.name(), event.key(), 0);
				if (call == null) {
					return;
				}
				call.reports++;
				call.reported = event.outcome();
				if (event.fencingToken() != 0) {
					granted(call, event.fencingToken(), event.handOff());
				}
			}

			private void granted(Call call, long token, HandOff handOff) {
				call.token = token;
				call.handOff = handOff;
				call.granted = now();
				Call before = History.this.lastGrants.put(jvm + " " + call.key(), call);
				boolean passedOn = before != null && handOff == HandOff.LOCAL;
				// The ticket of an earlier caller may have been granted the lock before.
				long asked = Math.min(call.started, History.this.world.network.server.nanosOf(token));
				call.asked = (before != null && passedOn) ? Math.min(before.asked, asked) : asked;
				long tokens = (before != null && passedOn) ? token - before.token : 0;
				boolean known = before != null && tokens > 0 && tokens <= ServerScript.COUNT;
				call.turnStarted = known ? before.turnStarted : call.granted;
				call.turnTokens = known ? before.turnTokens + tokens : 0;
				count("hand-off " + handOff);
				History.this.byToken.put(jvm + " " + call.key() + " " + token, call);
				History.this.rules.granted(call, before);
			}

			@Override
			public void onReleased(Released event) {
				Call call = find(jvm, event.name(), event.key(), event.fencingToken());
				if (call != null) {
					call.releases++;
				}
			}

			@Override
			public void onAtRisk(AtRisk event) {
				Call call = find(jvm, event.name(), event.key(), event.fencingToken());
				if (call != null && History.this.world.flaw != PromiseFlaw.RISKS_UNREPORTED) {
					call.risks++;
					count("risks");
				}
			}

			@Override
			public void onAtRiskEnded(AtRisk event) {
				Call call = find(jvm, event.name(), event.key(), event.fencingToken());
				if (call != null && ++call.risksEnded > call.risks) {
					History.this.world.violation("listener", call + " is no longer at risk, and was not");
				}
			}

			@Override
			public void onLost(Lost event) {
				Call call = find(jvm, event.name(), event.key(), event.fencingToken());
				if (call != null && History.this.world.flaw != PromiseFlaw.LOSSES_UNREPORTED) {
					call.losses++;
					call.lost = event;
					count("loss " + event.lossCause());
					History.this.world.trace(call.label, "LOST " + event.key() + " token " + event.fencingToken() + " "
							+ event.lossCause() + (event.released() ? " after its release" : ""));
					History.this.rules.lost(call, event.lossCause());
				}
			}

		};
	}

	private @Nullable Call find(SimulatedJvm jvm, String name, @Nullable String key, long token) {
		if (name.equals(Sections.REENTRY) || (key != null && key.startsWith(World.LAST))) {
			return null;
		}
		Call call = this.byLabel.get(name);
		if (call == null && token != 0) {
			call = this.byToken.get(jvm + " " + key + " " + token);
		}
		if (call == null) {
			call = this.byThread.get(this.world.scheduler.current());
		}
		if (call == null) {
			// It has lost the lock before it could say that it has got it.
			call = this.calls.stream()
				.filter((other) -> other.jvm == jvm && other.how == Call.How.VIEW && other.key().equals(key)
						&& other.granted == Call.NEVER && other.end == null)
				.findFirst()
				.orElse(null);
		}
		if (call == null) {
			this.world.violation("listener", "No call for " + key + " as " + name + " in " + jvm);
		}
		return call;
	}

}
