package io.github.distlock.lab.processes;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Starts this program again in other roles, notices when one of those processes fails,
 * and ends them all. Each ends by itself when this process has ended (see
 * {@link ParentWatch}).
 */
public final class Children {

	private static final long SECONDS_TO_END = 8;

	private final String mainClass;

	private final Path logs;

	private final Consumer<String> onFailure;

	private final List<Child> started = new CopyOnWriteArrayList<>();

	private final List<Child> servers = new CopyOnWriteArrayList<>();

	private final Collection<Child> dismissed = new CopyOnWriteArrayList<>();

	private volatile boolean ending;

	/**
	 * Start with no processes.
	 * @param mainClass the main class of this program
	 * @param logs folder of their logs
	 * @param onFailure gets a message when a process ends unexpectedly
	 */
	public Children(String mainClass, Path logs, Consumer<String> onFailure) {
		this.mainClass = mainClass;
		this.logs = logs;
		this.onFailure = onFailure;
	}

	/**
	 * Start this program in a role.
	 * @param name its name for the user
	 * @param environment variables to add to its environment
	 * @param arguments its role and settings
	 * @return the process
	 * @throws IOException if it cannot be started
	 */
	public Child start(String name, Map<String, String> environment, String... arguments) throws IOException {
		Files.createDirectories(this.logs);
		Path log = this.logs.resolve(name + ".log");
		ProcessBuilder builder = new ProcessBuilder(command(arguments)).redirectErrorStream(true)
			.redirectOutput(log.toFile());
		builder.environment().putAll(environment);
		Child child = new Child(name, builder.start(), log);
		this.started.add(child);
		child.process().onExit().thenAcceptAsync((process) -> ended(child));
		return child;
	}

	/**
	 * Start this program in the role of a server, which ends after the services that use
	 * it.
	 * @param name its name for the user
	 * @param arguments its role and settings
	 * @return the process
	 * @throws IOException if it cannot be started
	 */
	public Child startServer(String name, List<String> arguments) throws IOException {
		Child child = start(name, Map.of(), arguments.toArray(String[]::new));
		this.servers.add(child);
		return child;
	}

	/**
	 * End some processes. Blocks for some seconds at most.
	 * @param children which
	 */
	public void end(Collection<Child> children) {
		this.dismissed.addAll(children);
		children.forEach(Child::askToEnd);
		children.forEach((child) -> child.awaitEnd(SECONDS_TO_END));
	}

	/**
	 * End all processes, the services before the server that they use. Blocks for some
	 * seconds at most.
	 */
	public void end() {
		this.ending = true;
		end(this.started.stream().filter((child) -> !this.servers.contains(child)).toList());
		end(this.servers);
	}

	private void ended(Child child) {
		boolean crashOnRequest = child.process().exitValue() == Child.CRASHED;
		if (!this.ending && !this.dismissed.contains(child) && !crashOnRequest) {
			this.onFailure.accept(child.failure());
		}
	}

	private List<String> command(String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
		// Small services on one machine: a fast start is more important than peak speed.
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
		command.add("-D" + ParentWatch.PROPERTY + "=input");
		command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir", ""));
		command.addAll(program(System.getProperty("java.class.path", ""), this.mainClass));
		command.addAll(List.of(arguments));
		return command;
	}

	/**
	 * Name this program the way it was started: as one executable jar, or as a class
	 * path.
	 * @param classPath this JVM's class path
	 * @param mainClass its main class
	 * @return arguments of {@code java}
	 */
	static List<String> program(String classPath, String mainClass) {
		if (classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator)) {
			return List.of("-jar", classPath);
		}
		return List.of("-cp", classPath, mainClass);
	}

}
