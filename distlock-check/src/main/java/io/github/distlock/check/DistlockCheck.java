package io.github.distlock.check;

import java.io.Console;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
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
import java.util.function.Supplier;
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
	public static void main(String[] arguments) {
		try {
			List<String> words = List.of(arguments);
			boolean child = !words.isEmpty() && words.get(0).equals(WORKER);
			String run = child ? words.get(1) : UUID.randomUUID().toString().substring(0, 8);
			Options options = Options.parse(words.subList(child ? 2 : 0, words.size()));
			String password = password();
			Server server = Server.open(options.texts(), options.properties(run, password));
			List<String> ofChildren = Stream.concat(Stream.of(WORKER, run), words.stream()).toList();
			System.exit(child ? new Worker(server, System.out).run() : new DistlockCheck(server).check(System.out,
					() -> WorkerProcess.start(ofChildren, password), options.watch()));
		}
		catch (Exception ex) {
			Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
			// The message of a file is nothing but its name.
			ERR.println((cause instanceof FileSystemException) ? cause : cause.getMessage());
			System.exit(2);
		}
	}

	private static String password() {
		Console console = System.console();
		String password = System.getenv(PASSWORD);
		// Nothing is typed by Ctrl-D, either.
		char[] typed = (password == null && console != null) ? console.readPassword("Password (press Enter for none): ")
				: null;
		return (typed != null) ? new String(typed) : Objects.requireNonNullElse(password, "");
	}

	/**
	 * Print the report. The end of this JVM cleans up, also after Ctrl-C.
	 * @param children starts a child JVM
	 */
	private int check(PrintStream out, Supplier<WorkerProcess> children, Duration watch) throws Exception {
		ERR.println(this.server.property("check.note"));
		// First, since there may be a table already.
		Runtime.getRuntime().addShutdownHook(new Thread(this::cleanUp));
		String file = this.server.property("check.json");
		// Before the checks, which would be lost if it could not be written.
		try (OutputStream json = file.isEmpty() ? OutputStream.nullOutputStream()
				: Files.newOutputStream(Path.of(file))) {
			Thread checks = new Thread(() -> findAll(children, watch));
			checks.start();
			checks.join(DurationStyle.detectAndParse(this.server.property("check.limit")).plus(watch).toMillis());
			Report report = new Report(this.server.registry().store().location(), this.server.texts(),
					new LinkedHashMap<>(this.findings));
			out.print(report.table());
			json.write(report.json().getBytes(StandardCharsets.UTF_8));
			return report.exitStatus();
		}
	}

	private void findAll(Supplier<WorkerProcess> children, Duration watch) {
		Checks checks = new Checks(this.server, this.server.texts(), this.workers);
		Finding commands = find(checks::commands);
		boolean unreachable = commands.text().matches(this.server.texts().of("connection", "failed"));
		this.findings.put(unreachable ? "connection" : "commands", commands);
		if (unreachable) {
			return;
		}
		Map<String, Callable<Finding>> all = checks.all(watch);
		Finding notTried = new Finding(Verdict.NOT_KNOWN, "not tried: there was no lock, or no time");
		all.keySet().forEach((row) -> this.findings.put(row, notTried));
		for (int i = 0; i < 2; i++) {
			this.workers.add(children.get());
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
