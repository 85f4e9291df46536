package io.github.distlock.sample;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * The demonstration as a process of its own, on free ports and with folders of its own:
 * so several can run side by side.
 */
final class DemoProcess implements AutoCloseable {

	private static final Pattern PID = Pattern.compile("pid (\\d+)");

	private final Path folder;

	private final Path output;

	private final Process process;

	// A dead launcher's children can no longer be found: those seen are kept for the end.
	private final Set<ProcessHandle> seen = new HashSet<>();

	DemoProcess(String name, String... args) throws IOException {
		this.folder = Path.of(System.getProperty("java.io.tmpdir", "target/tmp"), "demo-" + name).toAbsolutePath();
		FileSystemUtils.deleteRecursively(this.folder);
		// The servers unpack themselves there.
		Path temporary = Files.createDirectories(this.folder.resolve("tmp"));
		this.output = this.folder.resolve("output.txt");
		List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + temporary, "-cp", classPath(),
				OversellDemo.class.getName(), "--base-port=0"));
		command.addAll(List.of(args));
		ProcessBuilder builder = new ProcessBuilder(command).directory(temporary.toFile())
			.redirectErrorStream(true)
			.redirectOutput(this.output.toFile());
		// A language with digits of its own: no address may have them.
		builder.environment().put("JAVA_TOOL_OPTIONS", "-Duser.language=ar -Duser.country=EG");
		this.process = builder.start();
	}

	/**
	 * The program writes its logs beside its classes: each process has a copy of them.
	 */
	private String classPath() throws IOException {
		Path classes = Path.of(OversellDemo.class.getProtectionDomain().getCodeSource().getLocation().getPath());
		Path copy = this.folder.resolve("classes");
		FileSystemUtils.copyRecursively(classes, copy);
		return Stream.of(System.getProperty("java.class.path", "").split(File.pathSeparator))
			.map((entry) -> Path.of(entry).toAbsolutePath())
			.map((entry) -> entry.equals(classes) ? copy.toString() : entry.toString())
			.collect(Collectors.joining(File.pathSeparator));
	}

	/**
	 * Return the folder for temporary files of the process and its children.
	 * @return a folder that no other process uses
	 */
	Path temporary() {
		return this.folder.resolve("tmp");
	}

	/**
	 * Return the folder to which the program writes.
	 */
	Path folder() {
		return this.folder;
	}

	/**
	 * Wait for the end.
	 * @return the exit status
	 */
	int awaitStatus() throws InterruptedException {
		if (!this.process.waitFor(9, TimeUnit.MINUTES)) {
			throw new AssertionError("The demonstration did not end:\n" + output());
		}
		return this.process.exitValue();
	}

	void kill() {
		this.process.destroyForcibly();
	}

	/**
	 * End the program as the end of Maven does.
	 */
	void terminate() {
		this.process.destroy();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	String output() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the processes that the launcher started, and those that they started.
	 * @return all processes below it, as of now
	 */
	Collection<ProcessHandle> family() {
		List<ProcessHandle> family = this.process.descendants().toList();
		this.seen.addAll(family);
		return family;
	}

	/**
	 * Return the process numbers that the user was told.
	 * @return numbers, the launcher's first
	 */
	List<Long> printedPids() {
		return PID.matcher(output()).results().map((MatchResult result) -> Long.parseLong(result.group(1))).toList();
	}

	@Override
	public void close() {
		family();
		kill();
		this.seen.forEach(ProcessHandle::destroyForcibly);
	}

}
