package io.github.distlock.lab.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A JVM whose threads take locks until standard input ends.
 */
public class RecordedWorker {

	/** Nobody answers a command that the failover loses. */
	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final int TOKENS_PER_GRANT = 17;

	private static final int KEYS = 4;

	private static final int THREADS = 2;

	/** Each is a question to the counter. */
	private static final int MOST_STEPS = 40;

	private static final long PACE_NANOS = 200_000;

	private final LockRegistry locks;

	private final String name;

	private final int counter;

	private volatile boolean ending;

	RecordedWorker(LockRegistry locks, String name, int counter) {
		this.locks = locks;
		this.name = name;
		this.counter = counter;
	}

	/**
	 * Take locks.
	 * @param args the name of this JVM, the port of Redis, and the port of the counter
	 * @throws Exception if a thread fails
	 */
	public static void main(String[] args) throws Exception {
		LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", Integer.parseInt(args[1]));
		connections.afterPropertiesSet();
		connections.start();
		BackendLockRegistry locks = new BackendLockRegistry(new RedisLockBackend(connections,
				new RedisBackendSettings("distlock:", COMMAND_TIMEOUT, true, TOKENS_PER_GRANT), TimeSource.SYSTEM),
				new RegistrySettings(LEASE, LEASE, null, new HandOffLimits(TOKENS_PER_GRANT - 1, Duration.ofMillis(5)),
						COMMAND_TIMEOUT, false, Duration.ZERO, null, LEASE, ReleaseMode.CONFIRMED, Integer.MAX_VALUE,
						false),
				List.of(), TimeSource.SYSTEM);
		locks.start();
		RecordedWorker worker = new RecordedWorker(locks, args[0], Integer.parseInt(args[2]));
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			threads.add(new Thread(worker::work));
		}
		threads.forEach(Thread::start);
		System.in.transferTo(OutputStream.nullOutputStream());
		worker.ending = true;
		for (Thread thread : threads) {
			thread.join();
		}
		locks.shutdown();
		connections.destroy();
	}

	private void work() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.counter);
				BufferedReader answers = new BufferedReader(
						new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
			socket.setTcpNoDelay(true);
			while (!this.ending) {
				String key = "key-" + ThreadLocalRandom.current().nextInt(KEYS);
				hold(key, socket, answers);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void hold(String key, Socket socket, BufferedReader answers) throws IOException {
		try {
			Optional<HeldLock> acquired = this.locks.tryAcquire(LockRequest.of(key).waitTime(Duration.ofSeconds(1)));
			if (acquired.isEmpty()) {
				return;
			}
			try (HeldLock held = acquired.get()) {
				long token = held.fencingToken();
				report("enter", key, token, socket, answers);
				int steps = ThreadLocalRandom.current().nextInt(MOST_STEPS);
				for (int step = 0; step < steps && held.isHeld(); step++) {
					report("still", key, token, socket, answers);
					LockSupport.parkNanos(PACE_NANOS);
				}
				report("leave", key, token, socket, answers);
			}
		}
		catch (LockException ex) {
			// Lost in the failover, or not acquired then.
		}
	}

	private void report(String what, String key, long token, Socket socket, BufferedReader answers) throws IOException {
		String line = what + " " + this.name + " " + key + " " + token + "\n";
		socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
		if (answers.readLine() == null) {
			throw new IOException("The counter is gone");
		}
	}

}
