package io.github.distlock.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.StoreCalls;

/**
 * What a child JVM does for a check: it reads a command from each line of its standard
 * input, and answers by lines, of which the last is {@value #DONE}; one that begins with
 * {@value #REFUSED} says why there is no lock. It ends with its standard input, and so
 * with its parent, however that ends.
 *
 * @param server the server, which the child uses, too
 * @param out its standard output
 */
record Worker(Server server, PrintStream out) {

	static final String DONE = "done";

	static final String REFUSED = "refused ";

	int run() throws IOException, InterruptedException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		this.out.println(DONE);
		for (String line; (line = in.readLine()) != null;) {
			String[] words = line.split(" ", 4);
			if (words[0].equals("hold")) {
				LockRequest request = this.server.request(words[1]).leaseTime(Duration.parse(words[2]));
				try (HeldLock lock = this.server.registry().acquire(request)) {
					this.out.println(DONE);
					in.readLine();
				}
				catch (LockException ex) {
					this.out.println(REFUSED + StoreCalls.oneLine(String.valueOf(ex.getMessage())));
				}
			}
			else {
				compete(Duration.parse(words[1]), Duration.parse(words[2]), Path.of(words[3]));
			}
			this.out.println(DONE);
		}
		return 0;
	}

	/**
	 * Enter one lock again and again. The operating system knows whether another JVM is
	 * inside, too.
	 * @param file the file that all who enter lock
	 */
	private void compete(Duration time, Duration section, Path file) throws IOException, InterruptedException {
		long end = System.nanoTime() + time.toNanos();
		try (FileChannel resource = FileChannel.open(file, StandardOpenOption.WRITE)) {
			// It cannot write if its parent was killed.
			while (System.nanoTime() < end && !this.out.checkError()) {
				try (HeldLock lock = this.server.registry().acquire(this.server.request("exclusion"));
						FileLock alone = resource.tryLock()) {
					this.out.println((alone == null) ? "overlap"
							: "entered " + lock.fencingToken() + " " + System.currentTimeMillis());
					Thread.sleep(section.toMillis());
				}
				catch (LockException ex) {
					this.out.println((ex instanceof LockLostException) ? "lost" : "refused");
				}
			}
		}
	}

}
