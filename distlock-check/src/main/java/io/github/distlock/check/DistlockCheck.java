package io.github.distlock.check;

import java.io.Console;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.distlock.LockException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.check.Finding.Verdict;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.NestedExceptionUtils;

/**
 * Checks whether a server is good enough for locks. It uses the server with locks of its
 * own, and removes at the end what it has written, also after Ctrl-C.
 */
public final class DistlockCheck {

	private static final PrintStream ERR = System.err;

	static final String PASSWORD = "DISTLOCK_CHECK_PASSWORD";

	/** The first argument of a child JVM. The second is the name of the check. */
	private static final String WORKER = "worker";

	private final Server server;

	private final List<WorkerProcess> workers = new CopyOnWriteArrayList<>();

	/** What was found until now, in the order of the rows. */
	private final Map<String, Finding> findings = Collections.synchronizedMap(new LinkedHashMap<>());

	private DistlockCheck(Server server) {
		this.server = server;
	}

	/**
	 * Run the program.
	 * @param arguments the command line; a wrong one is answered by a description
	 */
	public static void main(String[] arguments) throws Exception {
		try {
			List<String> words = List.of(arguments);
			boolean child = !words.isEmpty() && words.get(0).equals(WORKER);
			String run = child ? words.get(1) : UUID.randomUUID().toString().substring(0, 8);
			Options options = Options.parse(words.subList(child ? 2 : 0, words.size()));
			Server server = Server.open(options.texts(), options.properties(run, password()));
			List<String> ofChildren = Stream.concat(Stream.of(WORKER, run), words.stream()).toList();
			System.exit(child ? new Worker(server, System.out).run()
					: new DistlockCheck(server).check(System.out, ofChildren, options.watch()));
		}
		catch (RuntimeException ex) {
			ERR.println(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
			System.exit(2);
		}
	}

	private static String password() {
		Console console = System.console();
		String password = System.getenv(PASSWORD);
		return (password == null && console != null)
				? new String(console.readPassword("Password (press Enter for none): "))
				: Objects.requireNonNullElse(password, "");
	}

	/**
	 * Print the report. The end of this JVM cleans up, also after Ctrl-C.
	 * @param ofChildren the arguments of child JVMs
	 */
	private int check(PrintStream out, List<String> ofChildren, Duration watch) throws Exception {
		ERR.println(this.server.property("check.note"));
		Thread checks = new Thread(() -> findAll(ofChildren, watch));
		checks.start();
		Duration limit = DurationStyle.detectAndParse(this.server.property("check.limit")).plus(watch);
		checks.join(Math.max(1, limit.toMillis() - ManagementFactory.getRuntimeMXBean().getUptime()));
		Report report = new Report(this.server.registry().store().location(), this.server.texts(),
				new LinkedHashMap<>(this.findings));
		out.print(report.table());
		String file = this.server.property("check.json");
		if (!file.isEmpty()) {
			Files.writeString(Path.of(file), report.json());
		}
		return report.exitStatus();
	}

	private void findAll(List<String> ofChildren, Duration watch) {
		Checks checks = new Checks(this.server, this.server.texts(), this.workers);
		Finding commands = find(checks::commands);
		boolean unreachable = commands.text().matches(this.server.texts().of("connection", "failed"));
		this.findings.put(unreachable ? "connection" : "commands", commands);
		if (unreachable) {
			return;
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::cleanUp));
		Map<String, Callable<Finding>> all = checks.all(watch);
		Finding notTried = new Finding(Verdict.NOT_KNOWN, "not tried: there was no lock, or no time");
		all.keySet().forEach((row) -> this.findings.put(row, notTried));
		for (int i = 0; i < 2; i++) {
			this.workers.add(WorkerProcess.start(ofChildren, this.server.property("check.password")));
		}
		for (Map.Entry<String, Callable<Finding>> check : all.entrySet()) {
			Finding finding = find(check.getValue());
			this.findings.put(check.getKey(), finding);
			if (check.getKey().equals(Checks.FIRST) && finding.verdict() == Verdict.FAILED) {
				return;
			}
		}
	}

	/** A lock that fails is a failure; what a server refuses to tell is not known. */
	private static Finding find(Callable<Finding> check) {
		try {
			return check.call();
		}
		catch (Exception ex) {
			Throwable cause = StoreCalls.unwrap(ex);
			return new Finding((cause instanceof LockException) ? Verdict.FAILED : Verdict.NOT_KNOWN,
					StoreCalls.oneLine(String.valueOf(cause.getMessage())));
		}
	}

	private void cleanUp() {
		try {
			this.workers.forEach(WorkerProcess::kill);
			this.server.cleanUp();
		}
		catch (RuntimeException ex) {
			ERR.println("The clean-up failed: " + ex.getMessage());
		}
	}

}
