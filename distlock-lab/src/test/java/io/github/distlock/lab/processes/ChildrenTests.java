package io.github.distlock.lab.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.distlock.lab.Lab;
import io.github.distlock.lab.Program;
import io.github.distlock.lab.runs.TestStrategies;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Started processes, with the lightest program there is: a JVM around a redis-server.
 */
@Timeout(300)
class ChildrenTests {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Path temporary = Path.of(System.getProperty("java.io.tmpdir", "")).toAbsolutePath();

	private final Queue<String> failures = new ConcurrentLinkedQueue<>();

	private final Children children = new Children(Servers.class.getName(), this.temporary.resolve("logs"),
			this.failures::add);

	@BeforeEach
	void makeTemporaryFolder() throws IOException {
		Files.createDirectories(this.temporary);
	}

	@AfterEach
	void end() {
		this.children.end();
	}

	@Test
	void aProcessThatEndsUnaskedIsAFailureWithTheEndOfItsLog() throws IOException {
		this.children.start("redis", Map.of(), "redis", "nonsense");
		Awaitility.await().atMost(PATIENCE).until(() -> !this.failures.isEmpty());
		assertThat(this.failures).hasSize(1);
		assertThat(this.failures.element()).startsWith("redis ended with status 1. The end of its log")
			.contains("redis.log")
			.contains("nonsense");
	}

	@Test
	void waitingForAProcessThatEndsIsGivenUpAtOnce() throws IOException {
		Child child = this.children.start("redis", Map.of(), "redis", "nonsense");
		int nobodys = new PortPicker(new Random()).pick(0);
		assertThatIllegalStateException().isThrownBy(() -> new Readiness().awaitPort(child, nobodys))
			.withMessageStartingWith("redis ended with status 1");
	}

	@Test
	void whatIsEndedOnPurposeIsNoFailureAndLeavesNothing() throws Exception {
		int port = new PortPicker(new Random()).pick(0);
		Child child = this.children.start("redis", Map.of(), "redis", String.valueOf(port));
		new Readiness().awaitPort(child, port);
		List<ProcessHandle> family = child.process().descendants().toList();
		assertThat(family).hasSize(1);
		this.children.end();
		assertThat(child.process().isAlive()).isFalse();
		Awaitility.await().atMost(PATIENCE).until(() -> family.stream().noneMatch(ProcessHandle::isAlive));
		assertThat(this.failures).isEmpty();
	}

	@Test
	void aServerEndsWithTheJvmAroundIt() throws Exception {
		int port = new PortPicker(new Random()).pick(0);
		Child child = this.children.start("redis", Map.of(), "redis", String.valueOf(port));
		new Readiness().awaitPort(child, port);
		List<ProcessHandle> family = child.process().descendants().toList();
		child.process().destroy();
		Awaitility.await().atMost(PATIENCE).until(() -> family.stream().noneMatch(ProcessHandle::isAlive));
		Awaitility.await().atMost(PATIENCE).until(() -> !this.failures.isEmpty());
	}

	/** A program with one role. */
	static final class Servers {

		private Servers() {
		}

		public static void main(String[] args) throws Exception {
			ParentWatch.startIfAsked();
			Lab.main(new Program(Servers.class.getName(), "", TestStrategies.CATALOGUE), args);
		}

	}

}
