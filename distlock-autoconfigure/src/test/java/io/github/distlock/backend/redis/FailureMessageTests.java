package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RedisClusterNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Messages name the true cause, the address and the remedy if Redis cannot be used.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailureMessageTests extends OnRedis {

	private static final Ticket TICKET = ticket("stock-42", 1);

	private LettuceConnectionFactory factory;

	private LockStore store;

	@BeforeAll
	static void createUsers() {
		RedisProcess redis = server.process();
		redis.ask("ACL", "SETUSER", "locks", "on", ">right", "~*", "&*", "+@all");
		redis.ask("ACL", "SETUSER", "deaf", "on", ">right", "~*", "resetchannels", "+@all");
		redis.ask("ACL", "SETUSER", "nothing", "on", ">right", "~*", "resetchannels", "+@all", "-evalsha", "-eval");
		redis.ask("ACL", "SETUSER", "lesser", "on", ">right", "~other*", "&*", "+@all");
	}

	@AfterEach
	void stop() {
		this.store.close();
		this.factory.destroy();
	}

	private void connect(String host, int port, String user, String password) {
		connect(host, port, user, password, TIMEOUT);
	}

	private void connect(String host, int port, String user, String password, Duration timeout) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(host, port);
		configuration.setUsername(user);
		configuration.setPassword(password);
		this.factory = new LettuceConnectionFactory(configuration);
		open(timeout);
	}

	private void open() {
		open(TIMEOUT);
	}

	private void open(Duration timeout) {
		this.store = open(backend(RedisTestServer.started(this.factory), timeout, TimeSource.SYSTEM), "me");
	}

	private String refusal() {
		return String.valueOf(catchThrowableOfType(LockBackendException.class,
				() -> Answers.of(this.store.attempt(TICKET, Duration.ofSeconds(30), false)))
			.getMessage());
	}

	private static void awaitWarning(CapturedOutput output, String... parts) {
		await().untilAsserted(
				() -> assertThat(flushed(output)).contains("Cannot subscribe to the inbox distlock:inbox:me yet"));
		assertThat(flushed(output)).contains(parts);
	}

	@Test
	void aMissingServerIsNamedAndNoRightsAreMentioned(CapturedOutput output) {
		int port = RedisTestServer.freePort();
		connect("localhost", port, "", "");
		assertThat(refusal()).startsWith("Redis at localhost:" + port + " does not accept connections (")
			.endsWith(". The attempt for lock 'stock-42' failed")
			.contains("Connection refused")
			.contains("Check that it runs at this address")
			.doesNotContain("EVALSHA");
		awaitWarning(output, "Redis at localhost:" + port + " does not accept connections (",
				"Until then no lock can be acquired.");
		assertThat(flushed(output)).doesNotContain("locks work");
	}

	@Test
	void aWrongPasswordIsNamedAsTheCause(CapturedOutput output) {
		connect("127.0.0.1", server.port(), "locks", "wrong");
		assertThat(refusal()).contains("Redis at 127.0.0.1:" + server.port() + " refuses the credentials (WRONGPASS")
			.contains("Check user name and password in spring.data.redis.*")
			.doesNotContain("EVALSHA");
		awaitWarning(output, "refuses the credentials (WRONGPASS", "Until then no lock can be acquired.");
	}

	@Test
	void aMissingRightIsNamedAsTheCause() {
		connect("127.0.0.1", server.port(), "lesser", "right");
		assertThat(refusal())
			.contains("Redis at 127.0.0.1:" + server.port() + " refuses a command for lack of rights (NOPERM")
			.contains(" https://github.com/distlock/distlock/blob/main/docs/redis-operations.md#acl ")
			.doesNotContain("password");
	}

	@Test
	void locksWorkForAUserThatMayNotSubscribe(CapturedOutput output) {
		connect("127.0.0.1", server.port(), "deaf", "right");
		Answers.of(this.store.attempt(TICKET, Duration.ofSeconds(30), false));
		Answers.of(this.store.release(TICKET, 0, null));
		awaitWarning(output, "Redis at 127.0.0.1:" + server.port() + " refuses a command for lack of rights (NOPERM",
				"channels", "/docs/redis-operations.md#acl ", "If no other right is missing, locks work: ");
		assertThat(flushed(output)).doesNotContain("no lock can be acquired");
	}

	@Test
	void aServerThatDoesNotAnswerIsNamedAsTheCause() {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			connect("127.0.0.1", proxy.port(), "locks", "right", Duration.ofSeconds(1));
			await().ignoreExceptions().until(() -> Answers.of(this.store.release(TICKET, 0, null)) != null);
			proxy.swallow(true);
			assertThat(refusal()).contains("Redis at 127.0.0.1:" + proxy.port() + " did not answer in time (")
				.contains("raise distlock.redis.command-timeout")
				.doesNotContain("password");
		}
	}

	@Test
	void aClientWithTlsNamesTlsIfTheServerHasNone() {
		this.factory = new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", server.port()),
				LettuceClientConfiguration.builder().useSsl().build());
		open(Duration.ofSeconds(1));
		assertThat(refusal()).contains("Redis at 127.0.0.1:" + server.port() + " did not answer in time (")
			.contains("Check that it expects TLS if and only if the client uses it (ssl in spring.data.redis.*");
	}

	@Test
	void anUnknownHostIsNamedAsTheCause() {
		connect("no-such-host.invalid", 6379, "", "");
		assertThat(refusal())
			.contains("Redis at no-such-host.invalid:6379 does not accept connections (UnknownHostException")
			.contains("the address in spring.data.redis.*");
	}

	@Test
	void aTestOfTheStoreNamesTheSameCause() {
		connect("127.0.0.1", server.port(), "locks", "wrong");
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.store::verify)
			.withMessageStartingWith("Redis at 127.0.0.1:" + server.port() + " refuses the credentials (WRONGPASS")
			.withMessageEndingWith(". The test of the lock store failed");
	}

	@Test
	void aLockThatWaitsForAnEarlierCommandNamesTheCauseFirst() {
		connect("127.0.0.1", server.port(), "locks", "right");
		try (TcpProxy proxy = new TcpProxy(server.port());
				LockNodes nodes = new LockNodes(() -> RedisTestServer.connectionFactory(proxy.port()))) {
			BackendLockRegistry node = nodes.node(Duration.ofSeconds(30));
			HeldLock held = node.acquire(LockRequest.of("stock-42"));
			proxy.refuse(true);
			proxy.cut();
			held.close();
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> node.tryAcquire(LockRequest.of("stock-42").waitTime(Duration.ZERO)))
				.withMessageMatching(
						"(There is no connection to )?Redis at .*; lock 'stock-42' was not attempted while an"
								+ " earlier command for it is unanswered");
		}
	}

	@Test
	void aServerThatIsNoClusterIsNamed() {
		this.factory = new LettuceConnectionFactory(
				new RedisClusterConfiguration(List.of("127.0.0.1:" + server.port())));
		open();
		assertThat(refusal()).startsWith("Redis cluster at 127.0.0.1:" + server.port() + " is no cluster (")
			.contains("cluster support disabled")
			.contains("Set spring.data.redis.host in place of spring.data.redis.cluster.nodes")
			.doesNotContain("\n");
	}

	@Test
	void aClusterWithoutMastersForItsSlotsIsNamed() {
		try (RedisProcess node = RedisClusterNodes.startNode()) {
			connect("127.0.0.1", node.port(), "", "");
			assertThat(refusal()).contains("has no master for a part of its slots (CLUSTERDOWN Hash slot not served).");
			stop();
			this.factory = new LettuceConnectionFactory(
					new RedisClusterConfiguration(List.of("127.0.0.1:" + node.port())));
			open();
			assertThat(refusal()).contains("has no master for a part of its slots (Cannot determine a partition");
		}
	}

	@Test
	void aSentinelThatIsNoneOrDoesNotKnowTheMasterIsNamed() {
		try (RedisProcess sentinel = RedisProcess.start(RedisProcess.embedded(), RedisTestServer.freePort(),
				List.of("--sentinel"))) {
			for (int port : new int[] { sentinel.port(), server.port() }) {
				this.factory = new LettuceConnectionFactory(
						new RedisSentinelConfiguration("locks", Set.of("127.0.0.1:" + port)));
				open();
				assertThat(refusal())
					.startsWith(
							"Redis master 'locks' known to the sentinels at 127.0.0.1:" + port + " cannot be found (")
					.contains("Check that spring.data.redis.sentinel.nodes names sentinels");
				stop();
			}
			connect("127.0.0.1", sentinel.port(), "", "");
			assertThat(refusal()).contains("does not know a command that locks need (ERR unknown command")
				.contains("Check that it is no sentinel");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					OOM command not allowed when used memory > 'maxmemory'. | has no memory for new keys | Raise its maxmemory
					MISCONF Redis is configured to save RDB snapshots | takes no writes, since it could not save its data | Its log says why
					NOREPLICAS Not enough good replicas to write. | takes no writes, since too few replicas follow it | min-replicas-to-write
					READONLY You can't write against a read only replica. | takes no writes | Connect to a master
					LOADING Redis is loading the dataset in memory | is not ready | Wait until it has its data
					MASTERDOWN Link with MASTER is down | is not ready | Wait until it has its data
					ERR max number of clients reached | accepts no more connections | Raise its maxclients
					BUSY Redis is busy running a script. | refuses a command | Correct what the server names
					WRONGTYPE Operation against a key holding the wrong kind of value | refuses a command | Correct what the server
					""")
	void eachErrorOfTheServerHasARemedyThatFits(String error, String symptom, String remedy) {
		connect("127.0.0.1", server.port(), "", "");
		assertThat(RedisServer.node("a:1")
			.explain(new RedisSystemException("", new RedisCommandExecutionException(error))))
			.startsWith("Redis node a:1 " + symptom)
			.contains("(" + error + ")", remedy)
			.doesNotContain("Check that");
	}

	@Test
	void aTestOfTheStoreNamesAnErrorOnceForAllCommands() {
		connect("127.0.0.1", server.port(), "", "");
		server.process().ask("CONFIG", "SET", "min-replicas-to-write", "1");
		try {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.store::verify)
				.withMessageContaining("too few replicas follow it (PSETEX, ")
				.withMessageContaining("NOREPLICAS Not enough good replicas to write.). Start the replicas")
				.satisfies((ex) -> assertThat(ex.getMessage().split("NOREPLICAS")).hasSize(2));
		}
		finally {
			server.process().ask("CONFIG", "SET", "min-replicas-to-write", "0");
		}
	}

	@Test
	void noLineSaysThatLocksWorkIfTheirScriptsAreRefused(CapturedOutput output) {
		connect("127.0.0.1", server.port(), "nothing", "right");
		awaitWarning(output, "refuses a command for lack of rights (NOPERM");
		assertThat(flushed(output).toString().lines().filter((line) -> line.contains("locks work")))
			.allSatisfy((line) -> assertThat(line).contains("If no other right is missing, locks work"));
	}

}
