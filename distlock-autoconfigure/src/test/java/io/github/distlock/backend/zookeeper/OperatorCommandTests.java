package io.github.distlock.backend.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.backend.Ticket;
import org.apache.zookeeper.ZooKeeperMain;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands that the page of this store names.
 */
class OperatorCommandTests {

	private static final Duration SESSION = Duration.ofSeconds(8);

	private static final Path PAGE = Path.of("..", "docs", "stores-zookeeper.md");

	private static final String PREFIX = "zkCli.sh -server zk1:2181 ";

	@AutoClose
	private final BareNodes nodes = new BareNodes(SESSION);

	private final BareNode waiting = this.nodes.node();

	@Test
	void theLinesOfThePageShowTheHolderAndEndItsGrant() throws Exception {
		BareNode holding = this.nodes.node();
		Ticket ticket = holding.hold("stock-42");
		Ticket next = this.waiting.queue("stock-42");
		String node = ticket.token() + "-0000000000";
		List<String> answers = new ArrayList<>();
		for (String line : lines()) {
			String answer = run(line.replace("<node>", node));
			assertThat(answer).as(line).doesNotContain("KeeperErrorCode", "Node does not exist", "Exception");
			answers.add(answer);
		}
		assertThat(answers).hasSize(3);
		assertThat(answers.get(0)).contains(node).contains(next.token());
		assertThat(answers.get(1)).contains("ctime = ").containsPattern("ephemeralOwner = 0x[1-9a-f]");
		this.waiting.awaitGrant(next);
		assertThat(holding.release(ticket)).isFalse();
	}

	private static List<String> lines() throws IOException {
		return Files.readAllLines(PAGE).stream().map(String::strip).filter((line) -> line.startsWith(PREFIX)).toList();
	}

	private String run(String line) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home", ""), "bin", "java").toString(),
						"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path", ""),
						ZooKeeperMain.class.getName(), "-server", this.nodes.server.connectString()));
		command.addAll(List.of(line.substring(PREFIX.length()).split(" ")));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		process.getOutputStream().close();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(command + "\n" + output).isZero();
		return output;
	}

}
