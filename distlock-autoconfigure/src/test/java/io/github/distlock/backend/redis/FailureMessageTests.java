package io.github.distlock.backend.redis;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

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
		redis.ask("ACL", "SETUSER", "lesser", "on", ">right", "~other*", "&*", "+@all");
	}

	@AfterEach
	void stop() {
		this.store.close();
		this.factory.destroy();
	}

	private void connect(String host, int port, String user, String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(host, port);
		configuration.setUsername(user);
		configuration.setPassword(password);
		this.factory = new LettuceConnectionFactory(configuration);
		open();
	}

	private void open() {
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.store = open(backend(this.factory), "me");
	}

	private String refusal() {
		return String.valueOf(catchThrowableOfType(LockBackendException.class,
				() -> Answers.of(this.store.attempt(TICKET, Duration.ofSeconds(30), false)))
			.getMessage());
	}

	private static void awaitWarning(CapturedOutput output, String... parts) {
		await().atMost(Duration.ofSeconds(20))
			.untilAsserted(() -> assertThat(output).contains("Cannot subscribe to the inbox distlock:inbox:me yet"));
		assertThat(output).contains(parts);
	}

	@Test
	void aMissingServerIsNamedAndNoRightsAreMentioned(CapturedOutput output) {
		int port = RedisTestServer.freePort();
		connect("localhost", port, "", "");
		assertThat(refusal())
			.startsWith("The attempt for lock 'stock-42' failed: Redis at localhost:" + port
					+ " does not accept connections (")
			.contains("Connection refused")
			.contains("Check that it runs at this address")
			.doesNotContain("EVALSHA");
		awaitWarning(output, "Redis at localhost:" + port + " does not accept connections (",
				"Until then no lock can be acquired.");
		assertThat(output).doesNotContain("Locks work");
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
			.contains("docs/redis-operations.md")
			.doesNotContain("password");
	}

	@Test
	void locksWorkForAUserThatMayNotSubscribe(CapturedOutput output) {
		connect("127.0.0.1", server.port(), "deaf", "right");
		Answers.of(this.store.attempt(TICKET, Duration.ofSeconds(30), false));
		Answers.of(this.store.release(TICKET, 0, null));
		awaitWarning(output, "Redis at 127.0.0.1:" + server.port() + " refuses a command for lack of rights (NOPERM",
				"channels", "docs/redis-operations.md", "Locks work;");
		assertThat(output).doesNotContain("no lock can be acquired");
	}

	@Test
	void aServerThatDoesNotAnswerIsNamedAsTheCause() {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			connect("127.0.0.1", proxy.port(), "locks", "right");
			Answers.of(this.store.attempt(TICKET, Duration.ofSeconds(30), false));
			Answers.of(this.store.release(TICKET, 0, null));
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
		open();
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
			.withMessageStartingWith("The test of the lock store failed: Redis at 127.0.0.1:" + server.port()
					+ " refuses the credentials (WRONGPASS");
	}

}
