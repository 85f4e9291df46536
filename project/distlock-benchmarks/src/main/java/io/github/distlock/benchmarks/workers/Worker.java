package io.github.distlock.benchmarks.workers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.UnavailableException;

/**
 * A JVM that plays clients. It reads one order a line and answers each with one line:
 * {@code ok …}, {@code unavailable …} or {@code failed …}; it ends with its standard
 * input.
 */
final class Worker {

	private final String number;

	private final Cast cast;

	private final SharedCounter counter;

	private final Standing standing;

	private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "cycler");
		thread.setDaemon(true);
		return thread;
	});

	private Worker(String number, StoreAddress store, Path counter) {
		this.number = number;
		this.cast = new Cast(store);
		this.counter = new SharedCounter(counter);
		this.standing = new Standing(this.cast);
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		// Whatever a library prints is no answer.
		System.setOut(System.err);
		Worker worker = new Worker(args[0], StoreAddress.parse(args[1]), Path.of(args[2]));
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line; (line = in.readLine()) != null;) {
			out.println(worker.answer(line));
		}
		Runtime.getRuntime().halt(0);
	}

	private String answer(String line) {
		int blank = line.indexOf(' ');
		String rest = line.substring(blank + 1);
		try {
			return "ok " + switch (line.substring(0, blank)) {
				case "open" -> open(rest.split(" "));
				case "slice" ->
					new SliceRun(this.number, SliceOrder.decode(rest), this.counter).run(this.cast, this.threads)
						.encode();
				case "expire" -> new ExpiringWaits(rest.split(" ")).run(this.cast, this.threads);
				case "hold" -> this.standing.hold(rest.split(" "));
				case "drop" -> this.standing.drop();
				case "young" -> Youth.of(this.cast, rest).encode();
				case "forget" -> this.standing.forget(rest.split(" "));
				default -> throw new IllegalArgumentException("Unknown order: " + line);
			};
		}
		catch (UnavailableException ex) {
			return "unavailable " + oneLine(String.valueOf(ex.getMessage()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return "failed interrupted";
		}
		catch (Exception | LinkageError ex) {
			return "failed " + oneLine(ex.toString());
		}
	}

	private String open(String[] words) {
		this.cast.locks(words[0], Integer.parseInt(words[1]));
		return "opened";
	}

	private static String oneLine(String text) {
		return text.replaceAll("\\s+", " ");
	}

}
