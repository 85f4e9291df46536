package io.github.distlock.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Client and server on one processor: what made ratios stable. A process hands its
 * processors on to those that it starts, so this one is enough.
 */
final class Pinning {

	private Pinning() {
	}

	/**
	 * Pin this process, before it starts others.
	 * @param processor which processor; negative for the last one that may be used
	 * @return what was done, for the report
	 */
	static String pin(int processor) {
		long pid = ProcessHandle.current().pid();
		int count = Runtime.getRuntime().availableProcessors();
		try {
			String target = (processor >= 0) ? Integer.toString(processor) : last(run("-cp", Long.toString(pid)));
			run("-acp", target, Long.toString(pid));
			return "all processes pinned to processor %s of %d".formatted(target, count);
		}
		catch (IOException ex) {
			return "NOT PINNED, ratios spread more: " + ex.getMessage();
		}
	}

	/** Of a list such as {@code pid 7's current affinity list: 0,2-5}. */
	private static String last(String answer) {
		return answer.trim().replaceAll("(?s).*[ ,-](\\d+)$", "$1");
	}

	private static String run(String... arguments) throws IOException {
		String[] command = new String[arguments.length + 1];
		command[0] = "taskset";
		System.arraycopy(arguments, 0, command, 1, arguments.length);
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		try {
			if (!process.waitFor(5, TimeUnit.SECONDS) || process.exitValue() != 0) {
				throw new IOException("taskset: " + output.trim());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
		return output;
	}

}
