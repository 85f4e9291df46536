package io.github.distlock.versions;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.StreamSupport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.torture.history.HistoryWriter;
import io.github.distlock.torture.history.Kind;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * A JVM with either version of the library, so it uses only what both have: properties
 * and a few methods of the API. It executes the lines that it reads: {@code open} with
 * properties starts an application, {@code run} with a file lets its threads enter and
 * records that, {@code share} with a file does so with one key and a number of permits,
 * or without any, and {@code close} ends the application.
 */
final class VersionWorker {

	/** How often each thread enters. */
	static final int ENTRIES = 15;

	static final int THREADS = 2;

	private static final int KEYS = 2;

	/** How many threads enter one key, with permits or without. */
	static final int SHARING = 4;

	/** What a lock that ends with its session is valid for, in the history. */
	private static final Duration LONG = Duration.ofHours(1);

	/**
	 * A caller that waits without limit does not see a store that fails for a while. This
	 * one does, and tries again if the lock was not free.
	 */
	private static final Duration SHORT_WAIT = Duration.ofMillis(200);

	private static final AtomicInteger attempts = new AtomicInteger();

	private VersionWorker() {
	}

	public static void main(String[] args) throws Exception {
		((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
		PrintStream out = System.out;
		out.println("started");
		AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line; (line = in.readLine()) != null;) {
			String[] words = line.split(" ");
			switch (words[0]) {
				case "open" -> {
					application = open(words);
					out.println("opened " + LockRegistry.class.getProtectionDomain().getCodeSource().getLocation());
				}
				case "run" -> {
					run(application.getBean(LockRegistry.class), Path.of(words[1]), out);
					out.println("done");
				}
				case "share" -> {
					share(application.getBean(LockRegistry.class), Path.of(words[1]), Integer.parseInt(words[2]));
					out.println("done");
				}
				default -> {
					application.close();
					out.println("closed");
				}
			}
		}
		Runtime.getRuntime().halt(0);
	}

	private static AnnotationConfigApplicationContext open(String[] words) {
		AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
		List<String> properties = new ArrayList<>(List.of(words));
		properties.remove(0);
		TestPropertyValues.of(properties).applyTo(application);
		List<Class<?>> configurations = new ArrayList<>(
				List.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class));
		ClassLoader classLoader = VersionWorker.class.getClassLoader();
		StreamSupport.stream(ImportCandidates.load(AutoConfiguration.class, classLoader).spliterator(), false)
			.filter((name) -> name.startsWith("io.github.distlock."))
			.forEach((name) -> configurations.add(ClassUtils.resolveClassName(name, classLoader)));
		application.register(Configurations.getClasses(AutoConfigurations.of(configurations.toArray(Class<?>[]::new))));
		application.refresh();
		// The nodes of Redlock vote when they have been up for the longest lease.
		application.getBean(LockRegistry.class).acquire(LockRequest.of("ready").waitTime(LockRequest.FOREVER)).close();
		return application;
	}

	private static void run(LockRegistry registry, Path file, PrintStream out) throws InterruptedException {
		try (HistoryWriter history = new HistoryWriter(file)) {
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				Thread thread = new Thread(() -> enterAll(registry, history, out), "worker-" + i);
				threads.add(thread);
				thread.start();
			}
			for (Thread thread : threads) {
				thread.join();
			}
		}
	}

	/**
	 * Enter one key from several threads.
	 * @param permits zero for exclusive entries, as an earlier version has to make them
	 */
	private static void share(LockRegistry registry, Path file, int permits) throws Exception {
		Queue<String> visits = new ConcurrentLinkedQueue<>();
		ExecutorService threads = Executors.newFixedThreadPool(SHARING);
		for (int i = 0; i < SHARING; i++) {
			threads.execute(() -> {
				Random random = new Random();
				for (int n = 0; n < ENTRIES; n++) {
					LockRequest request = LockRequest.of("shared").waitTime(LockRequest.FOREVER);
					try (HeldLock lock = registry.acquire((permits > 0) ? request.permits(permits) : request)) {
						long entered = System.nanoTime();
						LockSupport.parkNanos(Duration.ofMillis(1 + random.nextInt(4)).toNanos());
						visits.add(permits + " " + lock.fencingToken() + " " + entered + " " + System.nanoTime());
					}
					catch (RuntimeException ex) {
						visits.add("failed: " + ex);
					}
				}
			});
		}
		threads.shutdown();
		threads.awaitTermination(10, TimeUnit.MINUTES);
		Files.write(file, visits);
	}

	private static void enterAll(LockRegistry registry, HistoryWriter history, PrintStream out) {
		Random random = new Random();
		for (int i = 0; i < ENTRIES; i++) {
			int attempt = attempts.incrementAndGet();
			String key = "k" + random.nextInt(KEYS);
			history.write(Kind.START, "a", attempt, "key", key);
			try {
				enter(acquire(registry, key, random.nextBoolean() ? SHORT_WAIT : LockRequest.FOREVER), attempt, history,
						random);
				history.write(Kind.RELEASED, "a", attempt, "how", "ok");
				out.println("entered");
			}
			catch (RuntimeException ex) {
				history.write(Kind.ENDED, "a", attempt, "how", ex);
			}
			LockSupport.parkNanos(Duration.ofMillis(random.nextInt(30)).toNanos());
		}
	}

	private static HeldLock acquire(LockRegistry registry, String key, Duration waitTime) {
		while (true) {
			Optional<HeldLock> lock = registry.tryAcquire(LockRequest.of(key).waitTime(waitTime));
			if (lock.isPresent()) {
				return lock.get();
			}
		}
	}

	private static void enter(HeldLock lock, int attempt, HistoryWriter history, Random random) {
		long now = System.nanoTime();
		Duration remaining = lock.remaining();
		long nanos = ((remaining.compareTo(LONG) < 0) ? remaining : LONG).toNanos();
		history.writeAt(now, Kind.GRANTED, "a", attempt, "token", lock.fencingToken(), "rem", nanos);
		LockSupport.parkNanos(Duration.ofMillis(1 + random.nextInt(4)).toNanos());
		history.write(Kind.RELEASE, "a", attempt);
		lock.close();
	}

}
