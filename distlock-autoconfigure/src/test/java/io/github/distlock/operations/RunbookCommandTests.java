package io.github.distlock.operations;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.docs.Pages;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.zookeeper.ZooKeeperMain;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The commands of the runbook run on real servers while one application holds the lock
 * and another one waits for it.
 */
@Tag(Installed.TAG)
class RunbookCommandTests {

	private static final String TO_END = "To end a grant";

	@Test
	void theCommandsForRedisShowTheHolderAndTheWaiterAndEndTheGrant() throws Exception {
		try (RedisProcess redis = redis();
				LockedStock stock = new LockedStock(Map.of("spring.data.redis.port", redis.port()))) {
			// The waiter is queued when its inbox is subscribed.
			await().until(() -> !Long.valueOf(0).equals(redis.ask("ZCARD", "distlock:queue:2:{stock-42}"))
					&& redis.info("pubsub_channels").equals("2"));
			Map<String, String> answers = redisCli(redis, OperationsFiles.commands("Redis", "redis-cli"));
			assertThat(answer(answers, "redis-cli --scan --pattern 'distlock:lock:*'"))
				.isEqualTo("distlock:lock:{stock-42}");
			assertThat(answer(answers, "redis-cli GET 'distlock:lock:{stock-42}'"))
				.matches("[-+][\\w.@:-]+:\\w+\\|\\d+\\|\\d+");
			assertThat(Long.parseLong(answer(answers, "redis-cli PTTL 'distlock:lock:{stock-42}'"))).isPositive();
			assertThat(answer(answers, "redis-cli ZRANGE 'distlock:queue:2:{stock-42}' 0 -1 WITHSCORES")).isNotBlank();
			assertThat(answer(answers, "redis-cli PUBSUB CHANNELS 'distlock:inbox:*'").lines()).hasSize(2);
			assertThat(answer(answers, "redis-cli CONFIG GET maxmemory-policy")).contains("noeviction");
			redisCli(redis, OperationsFiles.commands(TO_END, "redis-cli"));
			stock.awaitNextHolder();
		}
	}

	@Test
	void theReadersOfALockAreShown() throws Exception {
		String line = "redis-cli ZRANGE 'distlock:readers:{stock-42}' 0 -1 WITHSCORES";
		try (RedisProcess redis = redis();
				LockedStock stock = new LockedStock(Map.of("spring.data.redis.port", redis.port()));
				var reader = stock.read("stock-43");
				var other = stock.read("stock-43")) {
			assertThat(OperationsFiles.commands("Redis", "redis-cli")).contains(line);
			String command = line.replace("stock-42", "stock-43");
			assertThat(answer(redisCli(redis, List.of(command)), command))
				.containsPattern("[\\w.@:-]+:FR\\w+\n\\d{13}\n#")
				.containsPattern("#[\\w.@:-]+:FR\\w+\n\\d{16}");
			assertThat(List.of(reader, other)).allMatch(HeldLock::isHeld);
		}
	}

	@Test
	void eachOtherCommandForRedisOnThePageRunsToo() throws Exception {
		try (RedisProcess redis = redis()) {
			redisCli(redis, OperationsFiles.commands("", "redis-cli"));
		}
	}

	@Test
	void theCommandsForRedlockShowTheLockOnAMaster() throws Exception {
		try (RedisProcess first = redis(); RedisProcess second = redis(); RedisProcess third = redis()) {
			Map<String, Object> properties = new HashMap<>(Map.of("distlock.backend", "redlock", "distlock.lease-time",
					"5s", "distlock.redlock.longest-lease", "6s", "distlock.redlock.node-timeout", "1s"));
			int node = 0;
			for (RedisProcess master : List.of(first, second, third)) {
				properties.put("distlock.redlock.nodes[" + node + "].host", "127.0.0.1");
				properties.put("distlock.redlock.nodes[" + node++ + "].port", master.port());
			}
			try (LockedStock stock = new LockedStock(properties)) {
				Map<String, String> answers = redisCli(first, OperationsFiles.commands("Redlock", "redis-cli"));
				assertThat(answer(answers, "redis-cli GET 'distlock:redlock:lock:{stock-42}'")).isNotBlank();
				assertThat(answer(answers, "redis-cli --scan --pattern 'distlock:redlock:*'"))
					.contains("distlock:redlock:lock:{stock-42}");
				assertThat(answer(answers, "redis-cli INFO server")).contains("uptime_in_seconds");
				assertThat(stock.held().isHeld()).isTrue();
			}
		}
	}

	@Test
	void theCommandsForZooKeeperShowTheHolderAndTheWaiterAndEndTheGrant() throws Exception {
		try (ZooKeeperTestServer server = ZooKeeperTestServer.start();
				LockedStock stock = new LockedStock(Map.of("distlock.backend", "zookeeper",
						"distlock.zookeeper.connect-string", server.connectString()))) {
			List<String> lines = OperationsFiles.commands("", "zkCli.sh -server zk1:2181 ");
			List<String> ofTheStore = Pages.codeLines(Pages.text("docs/stores-zookeeper.md"))
				.stream()
				.filter((line) -> line.startsWith("zkCli.sh"))
				.toList();
			assertThat(ofTheStore).as("the commands of the page about the store").hasSize(3).isSubsetOf(lines);
			assertThat(lines).hasSizeGreaterThan(3);
			Matcher nodes = Pattern.compile("\\[([\\w.@:-]+:\\w+-\\d{10}), ([\\w.@:-]+:\\w+-\\d{10})]")
				.matcher(zkCli(server, "zkCli.sh -server zk1:2181 ls /distlock/stock-42"));
			assertThat(nodes.find()).isTrue();
			String first = Stream.of(nodes.group(1), nodes.group(2))
				.min(Comparator.comparing((node) -> node.substring(node.length() - 10)))
				.orElseThrow();
			for (String line : lines) {
				String answer = zkCli(server, line.replace("<node>", first));
				assertThat(answer).as(line).doesNotContain("Node does not exist", "KeeperErrorCode", "Exception");
				if (line.endsWith("ls /distlock")) {
					assertThat(answer).contains("stock-42]");
				}
				if (line.contains(" stat ")) {
					assertThat(answer).containsPattern("ephemeralOwner = 0x[1-9a-f]");
				}
			}
			assertThat(OperationsFiles.commands(TO_END, "zkCli.sh")).hasSize(1);
			stock.awaitNextHolder();
			assertThat(OperationsFiles.commands("", "echo srvr")).containsOnly("echo srvr \\| nc zk1 2181");
			assertThat(FourLetterWordMain.send4LetterWord("127.0.0.1", server.port(), "srvr")).contains("Mode:");
		}
	}

	@Test
	void theLineThatReplacesTheLinksToTheRunbookLeavesValidRules(@TempDir Path folder) throws Exception {
		String line = OperationsFiles.text("README.md")
			.lines()
			.map(String::strip)
			.filter((text) -> text.startsWith("sed -i"))
			.findFirst()
			.orElseThrow();
		Path rules = Files.copy(OperationsFiles.FOLDER.resolve("alerts.yaml"), folder.resolve("alerts.yaml"));
		run(List.of("sh", "-c", "cd " + folder + " && " + line));
		assertThat(rules).content()
			.contains("runbook_url: https://wiki.example.com/distlock/runbook.md#distlocklocklost")
			.doesNotContain("runbook_url: runbook.md");
	}

	@Test
	void theThreadDumpOfTheHolderRuns() throws Exception {
		List<String> lines = OperationsFiles.commands("DistlockHeldTooLong", "jcmd");
		assertThat(lines).containsExactly("jcmd <pid> Thread.print");
		String command = lines.get(0).replace("<pid>", String.valueOf(ProcessHandle.current().pid()));
		assertThat(run(List.of("sh", "-c", Path.of(System.getProperty("java.home", ""), "bin") + "/" + command)))
			.contains("theThreadDumpOfTheHolderRuns");
	}

	private static RedisProcess redis() {
		Installed.REDIS_CLI.assume();
		return RedisProcess.start(Installed.REDIS_SERVER.assume(), RedisTestServer.freePort(), List.of());
	}

	/** Run lines in their order. Returns the answer to each. */
	private static Map<String, String> redisCli(RedisProcess redis, List<String> lines) throws Exception {
		assertThat(lines).isNotEmpty();
		Map<String, String> answers = new HashMap<>();
		for (String line : lines) {
			String command = line.replaceFirst("^redis-cli", "redis-cli -e -p " + redis.port());
			String answer = run(List.of("sh", "-c", command));
			assertThat(answer).as(line).doesNotStartWith("ERR").doesNotStartWith("WRONGTYPE");
			answers.put(line, answer);
		}
		return answers;
	}

	private static String answer(Map<String, String> answers, String line) {
		assertThat(answers).containsKey(line);
		return answers.getOrDefault(line, "");
	}

	private static String zkCli(ZooKeeperTestServer server, String line) throws Exception {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home", ""), "bin", "java").toString(),
						"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path", ""),
						ZooKeeperMain.class.getName(), "-server", server.connectString()));
		command.addAll(List.of(line.replaceFirst("^zkCli.sh -server zk1:2181 ", "").split(" ")));
		return run(command);
	}

	private static String run(List<String> command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		process.getOutputStream().close();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		assertThat(process.waitFor()).as(command + "\n" + output).isZero();
		return output;
	}

}
