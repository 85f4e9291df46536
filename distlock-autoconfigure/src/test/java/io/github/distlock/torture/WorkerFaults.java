package io.github.distlock.torture;

import java.time.Duration;
import java.util.Random;

import io.github.distlock.testing.Signals;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.torture.worker.Phase;

/** The faults of one worker: of its connections, or of its process in a chosen phase. */
record WorkerFaults(TortureSettings settings, Workers workers, Random random) {

	/** Shares of a lease. */
	private static final double[] PAUSES = { 0.3, 0.9, 1.1, 2 };

	/**
	 * The time until a JVM examines an inbox that it believes to be subscribed, and
	 * renews the subscription.
	 */
	private static final Duration EXAMINATION = Duration.ofSeconds(12);

	/** The time after which no late copy of a command arrives any more. */
	private static final int COMMAND_TIMEOUT_MILLIS = 800;

	void inject(FaultKind kind, Nemesis.Episode episode) {
		switch (kind) {
			case KILL_HOLDER -> kill(Phase.INSIDE, episode);
			case KILL_ACQUIRING -> kill(Phase.ACQUIRING, episode);
			case KILL_RELEASING -> kill(Phase.RELEASING, episode);
			case PAUSE_HOLDER -> pause(Phase.INSIDE, episode);
			case PAUSE_ACQUIRING -> pause(Phase.ACQUIRING, episode);
			case PAUSE_RELEASING -> pause(Phase.RELEASING, episode);
			case PAUSE_RENEWING -> pauseRenewing(episode);
			default -> disconnect(kind, episode);
		}
	}

	private void disconnect(FaultKind kind, Nemesis.Episode episode) {
		Workers.Slot slot = this.workers.someSlot(this.random);
		TcpProxy proxy = slot.proxy;
		episode.begin(slot.worker());
		switch (kind) {
			case CUT -> proxy.cut();
			case LATE_COPIES -> {
				proxy.withhold();
				Torture.pause(Duration.ofMillis(20 + this.random.nextInt(500)));
				proxy.deliverLate(Duration.ofMillis(this.random.nextInt(COMMAND_TIMEOUT_MILLIS)));
			}
			case REFUSE -> {
				proxy.refuse(true);
				Torture.pause(Duration.ofMillis(50 + this.random.nextInt(1500)));
				proxy.refuse(false);
			}
			case HALF_OPEN -> {
				proxy.forgetSubscriptions();
				episode.endIn(EXAMINATION);
				return;
			}
			case SLOW -> {
				proxy.slow(part(0.8), part(0.8));
				Torture.pause(Duration.ofMillis(500 + this.random.nextInt(1500)));
				proxy.slow(Duration.ZERO, Duration.ZERO);
			}
			default -> throw new IllegalArgumentException(kind.toString());
		}
		episode.end();
	}

	private Duration part(double most) {
		return Duration.ofMillis((long) (this.settings.load().leaseMillis() * most * this.random.nextDouble()));
	}

	private void kill(Phase phase, Nemesis.Episode episode) {
		// Kill some workers at once, some during a command, and some between two slow
		// commands.
		boolean slow = this.random.nextBoolean();
		Duration later = Duration.ofMillis(this.random.nextInt(3) * this.random.nextInt(slow ? 100 : 20));
		Duration delay = slow ? Duration.ofMillis(40) : Duration.ZERO;
		Workers.Target target = this.workers.aim(phase, this.random, (worker) -> {
			TcpProxy proxy = this.workers.proxyOf(worker);
			episode.begin(worker.name());
			proxy.slow(delay, delay);
			Torture.pause(later);
			Signals.send(worker.pid(), "KILL");
			proxy.slow(Duration.ZERO, Duration.ZERO);
		});
		if (target != null) {
			target.worker().kill();
			episode.killed(target.worker().name());
			episode.end();
		}
	}

	private void pause(Phase phase, Nemesis.Episode episode) {
		Workers.Target target = this.workers.aim(phase, this.random, (worker) -> {
			episode.begin(worker.name());
			Signals.send(worker.pid(), "STOP");
		});
		if (target != null) {
			resume(target, episode);
		}
	}

	private void pauseRenewing(Nemesis.Episode episode) {
		Workers.Target target = this.workers.aim(Phase.INSIDE, this.random, (worker) -> {
		});
		if (target != null) {
			Torture.pause(Duration.ofMillis(target.lease().toMillis() / 3 + this.random.nextInt(40) - 20));
			episode.begin(target.worker().name());
			Signals.send(target.worker().pid(), "STOP");
			resume(target, episode);
		}
	}

	private void resume(Workers.Target target, Nemesis.Episode episode) {
		try {
			double part = PAUSES[this.random.nextInt(PAUSES.length)];
			Torture.pause(Duration.ofMillis((long) (target.lease().toMillis() * part)));
		}
		finally {
			Signals.send(target.worker().pid(), "CONT");
			episode.end();
		}
	}

}
