package io.github.distlock.torture.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.LockLostException;
import io.github.distlock.LockRegistry;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;
import io.github.distlock.torture.worker.WorkerSettings.Load;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a worker: calls for locks, uses the resource, releases, and records each
 * step.
 */
final class Contender implements Runnable {

	/** The share of critical sections that are longer than a lease. */
	private static final double OVERRUN_SHARE = 0.06;

	private static final int CHECK_MILLIS = 15;

	private static final AtomicLong numbers = new AtomicLong();

	private final int number;

	private final LockRegistry registry;

	private final WorkerSettings settings;

	private final HistoryWriter history;

	private final PrintStream out;

	private final Random random;

	volatile Phase phase = Phase.IDLE;

	private volatile boolean stopping;

	/**
	 * The number of the current attempt, for the listener, which is called on this
	 * thread.
	 */
	private volatile long attempt;

	Contender(int number, LockRegistry registry, WorkerSettings settings, HistoryWriter history, PrintStream out) {
		this.number = number;
		this.registry = registry;
		this.settings = settings;
		this.history = history;
		this.out = out;
		this.random = new Random(settings.seed() * 31 + number);
	}

	void stop() {
		this.stopping = true;
	}

	void waiting() {
		if (this.phase == Phase.ACQUIRING) {
			this.history.write(Kind.WAITING, "a", this.attempt);
		}
	}

	@Override
	public void run() {
		try (FencedClient resource = new FencedClient(this.settings.resourcePort())) {
			while (!this.stopping) {
				Call call = Call.random(this.random, this.settings.load());
				Stay stay = acquire(call);
				if (stay != null) {
					use(call, stay, resource);
				}
				report(Phase.IDLE, call);
				Thread.interrupted();
				LockSupport.parkNanos(Duration.ofMillis(this.random.nextInt(8)).toNanos());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private @Nullable Stay acquire(Call call) {
		this.attempt = numbers.incrementAndGet();
		this.history.write(Kind.START, "a", this.attempt, "key", call.key(), "how", call.how(), "lease",
				call.leaseMillis(), "renewed", call.isRenewed(), "wait", call.waitMillis(), "fair", call.fair(), "mode",
				call.mode(), "permits", call.permits());
		report(Phase.ACQUIRING, call);
		try {
			Stay stay = call.make(this.registry);
			if (stay != null) {
				long now = System.nanoTime();
				long rem = stay.remaining().toNanos();
				this.history.writeAt(now, Kind.GRANTED, "a", this.attempt, "token", stay.token(), "rem", rem);
				return stay;
			}
			this.history.write(Kind.ENDED, "a", this.attempt, "how", "timeout");
		}
		catch (Exception ex) {
			Throwable cause = (ex.getCause() != null && !(ex instanceof LockLostException)) ? ex.getCause() : ex;
			this.history.write(Kind.ENDED, "a", this.attempt, "how", cause.getClass().getSimpleName());
		}
		return null;
	}

	private void use(Call call, Stay stay, FencedClient resource) throws IOException {
		String id = this.settings.name() + "#" + this.attempt;
		report(Phase.INSIDE, call);
		this.history.write(Kind.ENTER, "a", this.attempt);
		resource.access(call.reads() ? "look" : "read", call.key(), stay.token(), id);
		long end = System.nanoTime() + Duration.ofMillis(sectionMillis(call)).toNanos();
		for (long left; (left = end - System.nanoTime()) > 0;) {
			LockSupport.parkNanos(Math.min(left, Duration.ofMillis(CHECK_MILLIS).toNanos()));
			Thread.interrupted();
			check(stay);
		}
		resource.access(call.reads() ? "look" : "write", call.key(), stay.token(), id);
		check(stay);
		this.history.write(Kind.EXIT, "a", this.attempt);
		report(Phase.RELEASING, call);
		this.history.write(Kind.RELEASE, "a", this.attempt, "held", stay.lock().isHeld());
		this.history.write(Kind.RELEASED, "a", this.attempt, "how", outcome(stay::release));
		if (this.random.nextInt(10) == 0) {
			this.history.write(Kind.UNHELD, "key", call.key(), "what", "second release of " + id, "threw",
					outcome(stay::releaseAgain));
		}
		if (this.random.nextInt(20) == 0) {
			this.history.write(Kind.UNHELD, "key", call.key(), "what", "unlock without lock", "threw",
					outcome(() -> this.registry.obtain(call.key()).unlock()));
		}
	}

	private void check(Stay stay) {
		long now = System.nanoTime();
		this.history.writeAt(now, Kind.CHECK, "a", this.attempt, "rem", stay.remaining().toNanos());
	}

	private static String outcome(Runnable release) {
		try {
			release.run();
			return "ok";
		}
		catch (LockLostException ex) {
			return "lost";
		}
		catch (RuntimeException ex) {
			return ex.getClass().getSimpleName();
		}
	}

	private int sectionMillis(Call call) {
		Load load = this.settings.load();
		if (this.random.nextDouble() < OVERRUN_SHARE) {
			// Longer than the lease: the watchdog must renew it, and an explicit lease
			// must expire.
			return load.leaseMillis() * (12 + this.random.nextInt(8)) / 10;
		}
		return this.random.nextInt(3) * this.random.nextInt(load.sectionMillis() / 2 + 1);
	}

	private void report(Phase now, Call call) {
		this.phase = now;
		this.out.println("@" + this.number + " " + now + " " + call.leaseMillis());
	}

	/**
	 * A client of the resource, with a connection of its own. For one thread; not
	 * affected by interrupts.
	 */
	private static final class FencedClient implements AutoCloseable {

		private final Socket socket;

		private final BufferedReader in;

		FencedClient(int port) throws IOException {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
			this.socket.setTcpNoDelay(true);
			this.in = new BufferedReader(new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
		}

		/** Use a part of the resource. Answers whether it accepted the fencing token. */
		boolean access(String op, String key, long token, String attempt) throws IOException {
			this.socket.getOutputStream()
				.write((op + " " + key + " " + token + " " + attempt + "\n").getBytes(StandardCharsets.UTF_8));
			return "ok".equals(this.in.readLine());
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}
