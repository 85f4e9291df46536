package io.github.distlock.lab.console;

import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.Run;
import io.github.distlock.lab.runs.RunListener;
import io.github.distlock.lab.runs.Trial;
import io.github.distlock.lab.runs.TrialResult;
import org.jspecify.annotations.Nullable;

/**
 * Shows on the console how far a run is.
 */
public final class ConsoleProgress implements RunListener {

	private static final int DOTS = 20;

	private final Console console;

	private final AtomicLong dots = new AtomicLong();

	private volatile int orders = 1;

	/**
	 * Show nothing yet.
	 * @param console where it is shown
	 */
	public ConsoleProgress(Console console) {
		this.console = console;
	}

	@Override
	public void started(Run run) {
		this.orders = run.settings().orders();
	}

	@Override
	public void phase(Trial trial, Phase phase, @Nullable String node, @Nullable String text) {
		if (phase == Phase.RUNNING) {
			this.dots.set(0);
			Fault fault = trial.fault();
			this.console.part("%-17s%s".formatted(trial.strategy().name(),
					(fault == Fault.NONE) ? "" : " " + fault.option() + " "));
		}
		else if (text != null) {
			this.console.line("%s%s", (phase == Phase.RECOVERING) ? ", " : "", text);
		}
	}

	@Override
	public void answered(Trial trial, Counts counts) {
		long dots = Math.min(DOTS, (counts.answered() + counts.unserved()) * DOTS / this.orders);
		long printed = this.dots.getAndAccumulate(dots, Math::max);
		if (dots > printed) {
			this.console.part(".".repeat((int) (dots - printed)));
		}
	}

	@Override
	public void trialEnded(Trial planned, TrialResult result, boolean complete) {
		this.console.line(" %d orders in %.2f s%s", this.orders, result.figures().seconds(),
				complete ? "" : ", stopped");
	}

	@Override
	public void failed(Trial trial, String message) {
		// Orders fail with the node that had them, or under an old token: no news.
		if (trial.fault() != Fault.CRASH && trial.fault() != Fault.PAUSE) {
			this.console.line("  failed order: %s", message);
		}
	}

}
