package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redlock.QuorumNode.NodeEvents;
import io.github.distlock.backend.redlock.QuorumNode.NodeVerb;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.LoggedProblems;
import io.github.distlock.testing.RedisTestServer;
import io.lettuce.core.resource.ClientResources;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * A clean shutdown logs nothing.
 */
@ExtendWith(OutputCaptureExtension.class)
class CleanShutdownTests extends OnRedis {

	private static final int ROUNDS = 100;

	private final LoggedProblems problems = new LoggedProblems();

	@AfterEach
	void assertQuiet(CapturedOutput output) {
		this.problems.close();
		assertThat(this.problems.lines()).isEmpty();
		// So the JVM says that a thread has failed.
		assertThat(flushed(output).getErr()).doesNotContain("Exception in thread \"distlock");
	}

	@Test
	void aStoreThatIsStartedAndStoppedAgainAndAgainLogsNothing() {
		// With the driver's own quiet period, which other tests leave out.
		LettuceConnectionFactory factory = RedisTestServer
			.started(new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", server.port())));
		RedisLockBackend backend = backend(factory);
		for (int i = 0; i < ROUNDS; i++) {
			LockStore store = open(backend, "me");
			// In different states: while it subscribes, and when it has.
			if (i % 2 == 0) {
				Ticket ticket = ticket("key", i);
				assertThat(Answers.of(store.attempt(ticket, Duration.ofSeconds(30), true))).isInstanceOf(Grant.class);
				Answers.of(store.release(ticket, 0, null));
			}
			if (i % 4 == 0) {
				store.verify();
			}
			store.close();
		}
		factory.destroy();
	}

	@Test
	void aNodeThatIsStartedAndStoppedAgainAndAgainLogsNothing() throws Exception {
		ClientResources resources = ClientResources.create();
		RedisQuorumNode node = node(server.port(), resources);
		for (int i = 0; i < ROUNDS; i++) {
			var connected = node.start(LockInstance.of("me"), mock(NodeEvents.class)).toCompletableFuture();
			if (i % 2 == 0) {
				connected.get(30, TimeUnit.SECONDS);
				node.run(NodeVerb.PROBE, List.of()).toCompletableFuture().get(30, TimeUnit.SECONDS);
			}
			node.stop();
		}
		resources.shutdown();
		assertThat(node.isListening()).isFalse();
	}

}
