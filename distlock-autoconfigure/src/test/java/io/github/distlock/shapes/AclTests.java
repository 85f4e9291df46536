package io.github.distlock.shapes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.DocumentedRights;
import io.github.distlock.testing.LiveThreads;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import io.github.distlock.testing.StoreNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

/**
 * Checks that the documented user has all the rights that locks need, and no others.
 */
class AclTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private final RecordedEvents events = new RecordedEvents();

	/**
	 * The commands that drivers send when they connect and disconnect, that of the
	 * eviction check, and that which replaces scripts on newer servers.
	 */
	private static final Set<String> HARMLESS = Set.of("client", "client|setinfo", "ping", "unsubscribe", "info",
			"set");

	private RedisProcess redis;

	private LockNodes nodes;

	/** The Redis of the build, unless a subclass has another one. */
	Path executable() {
		return RedisProcess.embedded();
	}

	LockNodes nodes() {
		return this.nodes;
	}

	RedisProcess redis() {
		return this.redis;
	}

	@BeforeEach
	void start() {
		this.redis = RedisProcess.start(executable(), RedisTestServer.freePort(), List.of())
			.with(DocumentedRights.standalone());
		this.nodes = new LockNodes(() -> connectAs("distlock"));
	}

	@AfterEach
	void stop() {
		if (this.redis == null) {
			// The server is not installed, and the test was skipped.
			return;
		}
		this.nodes.close();
		this.redis.close();
	}

	private LettuceConnectionFactory connectAs(String user) {
		return RedisTestServer.connectionFactory(this.redis.port(), user);
	}

	/** The commands that the server has refused, by its own log. */
	private Set<String> refused() {
		Set<String> refused = new TreeSet<>();
		for (Object entry : (List<?>) Objects.requireNonNull(this.redis.ask("ACL", "LOG"))) {
			List<?> fields = (List<?>) entry;
			refused.add(String.valueOf(fields.get(fields.indexOf("object") + 1)));
		}
		return refused;
	}

	@Test
	void theDocumentedRightsAreSufficientAlsoForOperatorsAndNoOtherCommandIsSent() throws Exception {
		BackendLockRegistry one = this.nodes.node(LEASE, this.events);
		BackendLockRegistry two = this.nodes.node(LEASE);
		HeldLock held = one.acquire(LockRequest.of("key"));
		CompletableFuture<HeldLock> waiter = two.acquireAsync(LockRequest.of("key").waitTime(LockRequest.FOREVER));
		assertThat(two.tryAcquire(LockRequest.of("key").waitTime(Duration.ofMillis(100)))).isEmpty();
		await().until(() -> this.events.renewed.get() > 0);
		assertThat(held.isHeld()).isTrue();
		held.close();
		waiter.get(20, TimeUnit.SECONDS).close();
		HeldLock fair = one.acquire(LockRequest.of("fair").fair(true));
		CompletableFuture<HeldLock> other = two.acquireAsync(LockRequest.of("fair").fair(true));
		fair.close();
		other.get(20, TimeUnit.SECONDS).close();
		LettuceConnectionFactory connections = connectAs("distlock");
		StoreNode node = new StoreNode(LockNodes.backend(connections), LockInstance.of("verified"));
		node.store.verify();
		node.store.ping();
		assertThat(node.inspection().inspect("key").holders()).as("of an operator").isEmpty();
		assertThat(node.inspection().end("key", 1)).isEqualTo(EndResult.NOT_HELD);
		node.close();
		connections.destroy();
		this.nodes.close();
		assertThat(refused()).isSubsetOf(HARMLESS);
	}

	@Test
	void theyAreSufficientForReadersWritersAndReleasesInTheBackground() throws Exception {
		BackendLockRegistry one = this.nodes.node(LEASE, ReleaseMode.BACKGROUND, this.events);
		BackendLockRegistry two = this.nodes.node(LEASE, ReleaseMode.BACKGROUND);
		HeldLock writer = one.acquire(LockRequest.of("key").mode(LockMode.WRITE));
		List<CompletableFuture<HeldLock>> readers = Stream.of(one, two, two)
			.map((node) -> node.acquireAsync(LockRequest.of("key").mode(LockMode.READ).waitTime(LockRequest.FOREVER)))
			.toList();
		assertThat(two.tryAcquire(LockRequest.of("key").mode(LockMode.READ).waitTime(Duration.ofMillis(100))))
			.isEmpty();
		await().until(() -> this.events.renewed.get() > 0);
		writer.close();
		for (CompletableFuture<HeldLock> reader : readers) {
			HeldLock held = reader.get(20, TimeUnit.SECONDS);
			assertThat(held.confirmHeld()).isTrue();
			held.close();
		}
		HeldLock held = one.acquire(LockRequest.of("other"));
		CompletableFuture<HeldLock> waiter = two.acquireAsync(LockRequest.of("other").waitTime(LockRequest.FOREVER));
		held.close();
		waiter.get(20, TimeUnit.SECONDS).close();
		this.nodes.close();
		assertThat(refused()).isSubsetOf(HARMLESS);
	}

	@Test
	void theyReachNoOtherKeyOrChannel() throws Exception {
		this.redis.ask("SET", "orders:1", "secret");
		try (RespConnection user = new RespConnection(this.redis.port())) {
			assertThat(refusal(user, "AUTH", "distlock", "password")).isEqualTo("OK");
			assertThat(refusal(user, "GET", "orders:1")).contains("NOPERM");
			assertThat(refusal(user, "EVAL", "return redis.call('GET', 'orders:1')", "0")).containsAnyOf("can't access",
					"No permissions");
			assertThat(refusal(user, "PUBLISH", "orders", "x")).contains("NOPERM");
			assertThat(refusal(user, "SUBSCRIBE", "orders")).contains("NOPERM");
			for (String command : List.of("FLUSHALL", "KEYS *", "CONFIG GET *", "ACL LIST", "SCRIPT FLUSH",
					"SHUTDOWN NOSAVE", "MONITOR")) {
				assertThat(refusal(user, command.split(" "))).as(command).contains("NOPERM");
			}
		}
	}

	/** Send a command, and return the reply or the error. */
	private static String refusal(RespConnection user, String... command) {
		try {
			return String.valueOf(user.ask(command));
		}
		catch (IllegalStateException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	@Test
	void eachMissingRightIsNamed() throws Exception {
		List<String> line = DocumentedRights.standalone();
		List<String> rights = line.stream().filter((word) -> "+~&".indexOf(word.charAt(0)) >= 0).toList();
		assertThat(rights).hasSizeGreaterThan(15);
		for (String right : rights) {
			List<String> lesser = line.stream()
				.filter((word) -> !word.equals(right))
				.map((word) -> word.equals("distlock") ? "lesser" : word)
				.collect(Collectors.toList());
			this.redis.ask("ACL", "DELUSER", "lesser");
			this.redis.with(lesser);
			BooleanSupplier inbox = LiveThreads.anyNew("distlock-inbox");
			LettuceConnectionFactory connections = connectAs("lesser");
			StoreNode lacking = new StoreNode(LockNodes.backend(connections), LockInstance.of("lesser"));
			assertThatExceptionOfType(LockBackendException.class).as(right)
				.isThrownBy(lacking.store::verify)
				.withMessageContaining("lack of rights")
				.withMessageContaining("docs/redis-operations.md#acl has all rights that locks need")
				.extracting((refusal) -> String.valueOf(refusal.getMessage()).toLowerCase(Locale.ROOT), STRING)
				.contains(switch (right.charAt(0)) {
					case '+' -> right.substring(1);
					case '~' -> "key";
					default -> "channel";
				});
			lacking.close();
			// Without its user its connections would break while the thread waits.
			await().until(() -> !inbox.getAsBoolean());
			connections.destroy();
		}
	}

}
