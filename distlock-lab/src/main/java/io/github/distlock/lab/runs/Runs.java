package io.github.distlock.lab.runs;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import io.github.distlock.lab.runs.RunListener.End;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs, one at a time, for the command line and for the page. Safe for use by many
 * threads.
 */
public final class Runs {

	private static final int ID_LENGTH = 6;

	/** The servers, and the nodes. */
	private static final int STEPS = 1 + Nodes.COUNT;

	private final RandomGenerator random;

	private final Consumer<String> onFailure;

	private final RunListeners listeners = new RunListeners();

	private final Lock lock = new ReentrantLock();

	private @Nullable TrialRunner runner;

	private @Nullable Run current;

	private int step;

	private volatile Starting starting = new Starting(0, STEPS, "");

	/**
	 * Begin without services: no run can start yet.
	 * @param random chooses the names of the runs
	 * @param onFailure gets a message when a run that nothing waits for fails
	 */
	public Runs(RandomGenerator random, Consumer<String> onFailure) {
		this.random = random;
		this.onFailure = onFailure;
	}

	/**
	 * Add a listener for all runs to come.
	 * @param listener the listener
	 */
	public void listen(RunListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Say what is waited for before runs can start.
	 * @param what its name for the user
	 */
	public void starts(String what) {
		this.starting = new Starting(++this.step, STEPS, what);
	}

	/**
	 * Return what is waited for before runs can start.
	 */
	public Starting starting() {
		return this.starting;
	}

	/**
	 * Let a fault strike the next holder on a node, in the run that is in progress.
	 * @param node name of the node
	 * @param fault the fault
	 * @throws RunRefusedException if no orders are in progress, or the run has a fault
	 * @throws IOException if the node does not answer
	 * @throws InterruptedException if interrupted meanwhile
	 */
	public void strike(String node, Fault fault) throws IOException, InterruptedException {
		TrialRunner opened = opened();
		if (opened == null) {
			throw new RunRefusedException("No orders are in progress: start a run first");
		}
		opened.strike(node, fault);
	}

	private @Nullable TrialRunner opened() {
		this.lock.lock();
		try {
			return this.runner;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Allow runs from now on.
	 * @param shop takes the orders
	 * @param nodes the nodes, which serve
	 */
	public void open(Shop shop, Nodes nodes) {
		this.lock.lock();
		try {
			this.runner = new TrialRunner(shop, nodes, this.listeners);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Return whether all services serve, so that a run can start.
	 */
	public boolean isReady() {
		this.lock.lock();
		try {
			return this.runner != null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Start a run, and return at once.
	 * @param settings what to try
	 * @return the run
	 * @throws RunRefusedException if another run is in progress, or the services do not
	 * serve yet
	 */
	public Run start(RunSettings settings) {
		Started started = begin(settings);
		Thread thread = new Thread(() -> runInBackground(started), "run-" + started.run().id());
		thread.setDaemon(true);
		thread.start();
		return started.run();
	}

	/**
	 * Carry out a run, and return when it is over.
	 * @param settings what to try
	 * @return the figures
	 * @throws IOException if a service does not answer
	 * @throws InterruptedException if interrupted meanwhile
	 */
	public List<TrialResult> run(RunSettings settings) throws IOException, InterruptedException {
		return run(begin(settings));
	}

	/**
	 * Stop the current run: no more orders are placed. Returns at once.
	 * @return whether there was one
	 */
	public boolean stop() {
		this.lock.lock();
		try {
			if (this.current == null) {
				return false;
			}
			this.current.stop();
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	private Started begin(RunSettings settings) {
		this.lock.lock();
		try {
			if (this.runner == null) {
				throw new RunRefusedException(
						"The servers and inventory nodes are still starting: try again in a few seconds");
			}
			if (this.current != null) {
				throw new RunRefusedException(
						"Run '%s' is in progress, and only one run at a time is possible: ".formatted(this.current.id())
								+ "wait for its end, or stop it (DELETE /lab/runs/current)");
			}
			Run run = new Run(newId(), settings);
			this.listeners.started(run);
			this.current = run;
			return new Started(run, this.runner);
		}
		finally {
			this.lock.unlock();
		}
	}

	private String newId() {
		// A letter first: such a name needs no quotes anywhere.
		StringBuilder id = new StringBuilder().append((char) this.random.nextInt('a', 'z' + 1));
		while (id.length() < ID_LENGTH) {
			id.append(Character.forDigit(this.random.nextInt(Character.MAX_RADIX), Character.MAX_RADIX));
		}
		return id.toString();
	}

	private void runInBackground(Started started) {
		try {
			run(started);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (IOException | RuntimeException ex) {
			this.onFailure.accept("Run '%s' failed: %s".formatted(started.run().id(), ex));
		}
	}

	private List<TrialResult> run(Started started) throws IOException, InterruptedException {
		String failure = "it was interrupted";
		End end = End.FAILED;
		try {
			List<TrialResult> trials = started.runner().run(started.run());
			end = (trials.size() == started.run().trials().size()) ? End.FINISHED : End.STOPPED;
			return trials;
		}
		catch (IOException | RuntimeException ex) {
			failure = ex.toString();
			throw ex;
		}
		finally {
			end(started.run(), end, (end == End.FAILED) ? failure : null);
		}
	}

	private void end(Run run, End end, @Nullable String message) {
		// A listener hears of the end before the next run can start.
		this.lock.lock();
		try {
			this.listeners.ended(run, end, message);
		}
		finally {
			this.current = null;
			this.lock.unlock();
		}
	}

	/**
	 * How far the start is.
	 *
	 * @param step number of the step in progress, from 1
	 * @param steps how many there are
	 * @param what what is waited for
	 */
	public record Starting(int step, int steps, String what) {
	}

	/**
	 * A run and what carries it out.
	 */
	private record Started(Run run, TrialRunner runner) {
	}

}
