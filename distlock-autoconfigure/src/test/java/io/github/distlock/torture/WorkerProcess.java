package io.github.distlock.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.github.distlock.torture.worker.Phase;
import io.github.distlock.torture.worker.TortureWorker;
import io.github.distlock.torture.worker.WorkerSettings;

/**
 * The JVM of a worker, as the launcher sees it.
 */
final class WorkerProcess {

	/** The options of a run that its workers read. */
	private static final List<String> OPTIONS = List.of("torture.release", "torture.store");

	private final WorkerSettings settings;

	private final Process process;

	/** The phase of each thread, as last reported. */
	private final Map<String, Phase> phases = new ConcurrentHashMap<>();

	private final PhaseListener listener;

	private volatile boolean ready;

	WorkerProcess(WorkerSettings settings, List<Path> classPathFirst, PhaseListener listener) {
		this.settings = settings;
		this.listener = listener;
		Path folder = Objects.requireNonNull(settings.history().toAbsolutePath().getParent());
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx192m", "-Xshare:auto",
				"-Dlogback.configurationFile=" + folder.resolve("logback.xml"), "-cp", classPath(classPathFirst)));
		OPTIONS.stream()
			.filter((option) -> System.getProperty(option) != null)
			.forEach((option) -> command.add("-D" + option + "=" + System.getProperty(option)));
		command.add(TortureWorker.class.getName());
		command.addAll(settings.arguments());
		try {
			this.process = new ProcessBuilder(command).redirectError(folder.resolve(settings.name() + ".err").toFile())
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Thread reader = new Thread(this::read, "output-of-" + settings.name());
		reader.setDaemon(true);
		reader.start();
	}

	private static String classPath(List<Path> first) {
		StringBuilder path = new StringBuilder();
		first.forEach((folder) -> path.append(folder.toAbsolutePath()).append(System.getProperty("path.separator")));
		return path.append(System.getProperty("java.class.path")).toString();
	}

	private void read() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line; (line = reader.readLine()) != null;) {
				if (line.equals("@ready")) {
					this.ready = true;
				}
				else if (line.startsWith("@")) {
					String[] parts = line.substring(1).split(" ");
					Phase phase = Phase.valueOf(parts[1]);
					this.phases.put(parts[0], phase);
					this.listener.changed(this, phase, Duration.ofMillis(Long.parseLong(parts[2])));
				}
			}
		}
		catch (IOException ex) {
			// The process has ended.
		}
	}

	String name() {
		return this.settings.name();
	}

	long pid() {
		return this.process.pid();
	}

	boolean isReady() {
		return this.ready;
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/** Kill it, as a power failure does. */
	void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	/** Ask it to finish. */
	void stop() {
		try {
			this.process.getOutputStream().write("stop\n".getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			// The process has ended.
		}
	}

	boolean awaitEnd(Duration patience) throws InterruptedException {
		return this.process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** Receives the phases of the threads of workers. Must not block for long. */
	interface PhaseListener {

		void changed(WorkerProcess worker, Phase phase, Duration lease);

	}

}
