package io.github.distlock.torture;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.torture.worker.Phase;
import io.github.distlock.torture.worker.TortureWorker;
import io.github.distlock.torture.worker.WorkerSettings;

import static java.util.stream.Collectors.joining;

/** The JVM of a worker, as the launcher sees it. */
final class WorkerProcess extends ChildJvm {

	/** The options of a run that its workers read. */
	private static final List<String> OPTIONS = List.of("torture.release", "torture.store");

	private final WorkerSettings settings;

	private final Workers workers;

	private volatile boolean ready;

	WorkerProcess(WorkerSettings settings, List<Path> classPathFirst, Workers workers) {
		super(options(settings, classPathFirst),
				ProcessBuilder.Redirect.to(folder(settings).resolve(settings.name() + ".err").toFile()),
				TortureWorker.class, settings.arguments());
		this.settings = settings;
		this.workers = workers;
		read();
	}

	private static Path folder(WorkerSettings settings) {
		return Objects.requireNonNull(settings.history().toAbsolutePath().getParent());
	}

	private static List<String> options(WorkerSettings settings, List<Path> classPathFirst) {
		String path = Stream
			.concat(classPathFirst.stream().map(Path::toAbsolutePath), Stream.of(System.getProperty("java.class.path")))
			.map(String::valueOf)
			.collect(joining(File.pathSeparator));
		List<String> options = new ArrayList<>(List.of("-Xmx192m", "-Xshare:auto",
				"-Dlogback.configurationFile=" + folder(settings).resolve("logback.xml"), "-cp", path));
		OPTIONS.stream()
			.filter((option) -> System.getProperty(option) != null)
			.forEach((option) -> options.add("-D" + option + "=" + System.getProperty(option)));
		return options;
	}

	@Override
	protected void received(String line) {
		if (line.equals("@ready")) {
			this.ready = true;
		}
		else if (line.startsWith("@")) {
			String[] parts = line.substring(1).split(" ");
			this.workers.changed(this, Phase.valueOf(parts[1]), Duration.ofMillis(Long.parseLong(parts[2])));
		}
	}

	String name() {
		return this.settings.name();
	}

	boolean isReady() {
		return this.ready;
	}

	void stop() {
		if (isAlive()) {
			send("stop");
		}
	}

	boolean awaitEnd(Duration patience) throws InterruptedException {
		return process().waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
	}

}
