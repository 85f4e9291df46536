package io.github.distlock.check;

import java.io.BufferedReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.distlock.LockBackendException;

import org.springframework.util.function.ThrowingSupplier;

/**
 * The JVM of a {@link Worker}, as its parent sees it.
 *
 * @param process the JVM
 * @param out its standard input
 * @param in its standard output
 */
record WorkerProcess(Process process, PrintStream out, BufferedReader in) {

	/** Start a JVM with this program, which is a jar or, in a test, a class path. */
	static WorkerProcess start(List<String> arguments, String password) {
		boolean jar = WorkerProcess.class.getClassLoader() != ClassLoader.getSystemClassLoader();
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-cp", System.getProperty("java.class.path"),
						jar ? "org.springframework.boot.loader.launch.JarLauncher" : DistlockCheck.class.getName()));
		command.addAll(arguments);
		// Such as a trust store.
		command.addAll(1, ManagementFactory.getRuntimeMXBean().getInputArguments());
		ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
		builder.environment().put(DistlockCheck.PASSWORD, password);
		Process process = ThrowingSupplier.of(builder::start).get();
		return new WorkerProcess(process, new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8),
				process.inputReader(StandardCharsets.UTF_8));
	}

	WorkerProcess tell(String line) {
		this.out.println(line);
		return this;
	}

	/**
	 * Wait for the end of an answer, and return its lines.
	 * @throws LockBackendException if the child does not get its lock
	 */
	List<String> answer() {
		List<String> lines = new ArrayList<>();
		while (lines.isEmpty() || !lines.get(lines.size() - 1).equals(Worker.DONE)) {
			String line = ThrowingSupplier.of(this.in::readLine).get();
			lines.add(Objects.requireNonNull(line, "a child JVM has ended, or could not start"));
		}
		lines.stream().filter((line) -> line.startsWith(Worker.REFUSED)).forEach((line) -> {
			throw new LockBackendException("a child JVM: " + line);
		});
		return lines;
	}

	void kill() {
		this.process.destroyForcibly().onExit().join();
	}

}
