package io.github.distlock.model;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Breadth-first search over all states, so that a counterexample is a shortest one.
 * States are kept as fingerprints; the trace of a counterexample is found by making its
 * steps again.
 */
final class StateSearch {

	private static final int STATES_BETWEEN_CHECKS = 1024;

	private final SearchSettings settings;

	private final ServerSteps server;

	private final ClientSteps clients;

	private final FaultSteps faults;

	private final TimeSteps time;

	private final ProtocolProperties properties;

	private final Renaming none;

	/** A state under each renaming. */
	private final StateForm[] forms;

	private final FingerprintTable seen = new FingerprintTable();

	private final ArrayDeque<byte[]> frontier = new ArrayDeque<>();

	StateSearch(SearchSettings settings) {
		this.settings = settings;
		ClientRules rules = new ClientRules(settings);
		this.faults = new FaultSteps(settings);
		this.server = new ServerSteps(settings, rules, this.faults);
		this.clients = new ClientSteps(settings, rules);
		this.time = new TimeSteps(settings);
		this.properties = new ProtocolProperties(settings);
		// A JVM that has only scripts does not stand for another one.
		this.none = Renaming.none(settings.jvms * settings.entriesPerJvm, settings.jvms);
		List<Renaming> renamings = (settings.oldJvms + settings.deafJvms > 0) ? List.of(this.none)
				: Renaming.all(settings.jvms, settings.entriesPerJvm);
		this.forms = renamings.stream().map(StateForm::new).toArray(StateForm[]::new);
	}

	/**
	 * Search until a property is violated, all states have been seen, or a limit is
	 * reached.
	 */
	SearchResult run(int maxStates, Duration maxTime) {
		long begin = System.nanoTime();
		add(World.initial(this.settings), -1);
		int explored = 0;
		while (!this.frontier.isEmpty()) {
			int current = explored++;
			try {
				explore(this.frontier.remove(), current);
			}
			catch (BrokenProperty ex) {
				return result(begin, false, ex, trace(current, ex));
			}
			if (this.seen.size > maxStates
					|| current % STATES_BETWEEN_CHECKS == 0 && System.nanoTime() - begin > maxTime.toNanos()) {
				return result(begin, false, null, "");
			}
		}
		return result(begin, true, null, "");
	}

	private void explore(byte[] bytes, int state) {
		next(World.read(bytes, this.settings, this.none), (next, step) -> {
			if (add(next, state)) {
				this.properties.check(next);
			}
		});
	}

	private void next(World world, Successors out) {
		boolean due = this.server.add(world, out);
		due |= this.clients.add(world, out);
		due |= this.faults.add(world, out);
		this.time.add(world, due, out);
		if (!due) {
			this.properties.checkAtRest(world);
		}
	}

	private boolean add(World world, int parent) {
		StateForm form = smallestForm(world);
		boolean added = this.seen.add(form.fingerprint(), parent);
		if (added) {
			this.frontier.add(form.bytes());
		}
		return added;
	}

	/** The smallest form of a state under all renamings stands for all of them. */
	private StateForm smallestForm(World world) {
		StateForm smallest = this.forms[0].clear();
		world.pass(smallest);
		for (int i = 1; i < this.forms.length; i++) {
			StateForm form = this.forms[i].clear();
			world.pass(form);
			if (form.isLessThan(smallest)) {
				smallest = form;
			}
		}
		return smallest;
	}

	private SearchResult result(long begin, boolean complete, @Nullable BrokenProperty broken, String trace) {
		return new SearchResult(this.seen.size, this.time.longestIdle, complete,
				(broken != null) ? broken.property : null, trace, Duration.ofNanos(System.nanoTime() - begin));
	}

	/** Make the steps to a state again, and then the one that violated the property. */
	private String trace(int last, BrokenProperty broken) {
		List<Integer> path = new ArrayList<>();
		for (int state = last; state > 0; state = this.seen.parent(state)) {
			path.add(0, state);
		}
		StringBuilder text = new StringBuilder();
		World world = World.initial(this.settings);
		for (int state : path) {
			world = step(world, this.seen.fingerprint(state), text);
		}
		try {
			next(world, (next, step) -> {
				try {
					this.properties.check(next);
				}
				catch (BrokenProperty ex) {
					text.append(step.get()).append("\n    ").append(next).append('\n');
					throw ex;
				}
			});
		}
		catch (BrokenProperty ex) {
			// The same violation, in the names of this trace.
			return text.append("=> ").append(ex.property).append(": ").append(ex.getMessage()).toString();
		}
		return text.append("=> ").append(broken.getMessage()).toString();
	}

	private World step(World from, long wanted, StringBuilder text) {
		List<World> found = new ArrayList<>();
		next(from, (next, step) -> {
			if (found.isEmpty() && smallestForm(next).fingerprint() == wanted) {
				found.add(next);
				text.append(step.get()).append("\n    ").append(next).append('\n');
			}
		});
		return found.get(0);
	}

}
