package io.github.distlock.sample;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The demonstration as a process of its own, whose first run is over: the lab can start
 * others.
 */
final class LabProcess implements AutoCloseable {

	private static final Pattern PAGE = Pattern.compile("Open (http://localhost:\\d+/)");

	private static final Pattern NODE = Pattern.compile("inventory-1 +(http://\\S+)");

	private final DemoProcess demo;

	private LabProcess(DemoProcess demo) {
		this.demo = demo;
	}

	/**
	 * Start the demonstration, and wait until it serves.
	 * @param name the name of its folder
	 */
	static LabProcess start(String name) throws IOException {
		LabProcess process = new LabProcess(
				// Leases that a slow machine does not lose.
				new DemoProcess(name, "--strategies=synchronized", "--orders=30", "--stock=20", "--buyers=8",
						"--sample.node.lease=4s", "--distlock.lease-time=4s", "--sample.node.give-up-after=10s"));
		try {
			process.awaitService();
			return process;
		}
		catch (RuntimeException | Error ex) {
			process.close();
			throw ex;
		}
	}

	private void awaitService() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> !this.demo.isAlive() || this.demo.output().contains("Serving until stopped"));
		assertThat(this.demo.isAlive()).as(this.demo.output()).isTrue();
	}

	DemoProcess demo() {
		return this.demo;
	}

	LabClient lab() {
		return new LabClient(printed(PAGE));
	}

	/**
	 * Return the first inventory node.
	 */
	LabClient node() {
		return new LabClient(printed(NODE));
	}

	private URI printed(Pattern pattern) {
		Matcher matcher = pattern.matcher(this.demo.output());
		assertThat(matcher.find()).as(this.demo.output()).isTrue();
		return URI.create(matcher.group(1));
	}

	@Override
	public void close() {
		this.demo.close();
	}

}
