package io.github.distlock.shapes;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockRedisAutoConfiguration;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A Redis with TLS, as configured by Spring Boot. Uses the installed Redis, since the one
 * of the build may not support TLS.
 */
@Tag(Installed.TAG)
class TlsTests {

	@AutoClose
	private static RedisProcess redis;

	private static int tlsPort;

	private static Path certificate;

	private static final String PASSWORD = "changeit";

	@BeforeAll
	static void start(@TempDir Path folder) throws Exception {
		Path executable = Installed.REDIS_SERVER.assume();
		certificate = createCertificate(folder);
		tlsPort = RedisTestServer.freePort();
		redis = RedisProcess.start(executable, RedisTestServer.freePort(), List.of(), "tls-port " + tlsPort,
				"tls-cert-file " + certificate, "tls-key-file " + folder.resolve("redis.key"),
				"tls-ca-cert-file " + certificate, "tls-auth-clients no");
	}

	/**
	 * Create the PEM files of a self-signed certificate of this machine and of its key.
	 */
	private static Path createCertificate(Path folder) throws Exception {
		Path store = folder.resolve("redis.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "redis", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=localhost",
				"-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "2", "-storetype", "PKCS12", "-keystore",
				store.toString(), "-storepass", PASSWORD)
			.redirectErrorStream(true)
			.start();
		String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (keytool.waitFor() != 0) {
			throw new IllegalStateException("No certificate: " + said);
		}
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(store)) {
			keys.load(in, PASSWORD.toCharArray());
		}
		write(folder.resolve("redis.key"), "PRIVATE KEY", keys.getKey("redis", PASSWORD.toCharArray()).getEncoded());
		return write(folder.resolve("redis.crt"), "CERTIFICATE", keys.getCertificate("redis").getEncoded());
	}

	private static Path write(Path file, String what, byte[] der) throws IOException {
		String lines = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(der);
		return Files.writeString(file, "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
	}

	private static ApplicationContextRunner application() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
					DistlockRedisAutoConfiguration.class, DistlockAutoConfiguration.class))
			.withPropertyValues("spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificate,
					"spring.data.redis.ssl.bundle=redis", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + tlsPort, "distlock.fail-fast=true",
					"distlock.redis.command-timeout=9s");
	}

	/** The connections of the other clients, one per line. */
	private static List<String> clients() {
		return String.valueOf(Objects.requireNonNull(redis.ask("CLIENT", "LIST")))
			.lines()
			.filter((line) -> !line.contains("cmd=client"))
			.toList();
	}

	@Test
	void allConnectionsUseTls() {
		application().run((one) -> application().run((two) -> {
			LockRequest request = LockRequest.of("tls").waitTime(LockRequest.FOREVER);
			await().until(() -> subscriptions() == 2);
			HeldLock held = one.getBean(LockRegistry.class).acquire(request);
			CompletableFuture<HeldLock> waiter = two.getBean(LockRegistry.class).acquireAsync(request);
			await().until(() -> Long.valueOf(1).equals(redis.ask("ZCOUNT", "distlock:queue:2:{tls}", "0", "1e11")));
			held.close();
			waiter.get(20, TimeUnit.SECONDS).close();
			assertThat(clients()).hasSizeGreaterThanOrEqualTo(4)
				.allMatch((line) -> line.contains(" laddr=127.0.0.1:" + tlsPort + " "));
		}));
	}

	@Test
	void aClientWithoutTlsNamesTlsIfTheServerExpectsIt() {
		application().withPropertyValues("spring.data.redis.ssl.enabled=false")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("expects TLS if and only if the client uses it, see spring.data.redis.*"));
	}

	@Test
	void anInboxOfJedisEndsWithItsConnectionAndWithItsApplication() {
		try (TcpProxy proxy = new TcpProxy(tlsPort)) {
			application()
				.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + proxy.port())
				.run((context) -> {
					await().until(() -> subscriptions() == 1);
					List<String> first = subscribers();
					// Without the farewell of TLS, as when a server dies.
					proxy.cut();
					await().until(() -> subscriptions() == 1 && !subscribers().equals(first));
				});
			await().until(() -> subscriptions() == 0);
		}
	}

	private static long subscriptions() {
		return subscribers().size();
	}

	/** The numbers of the connections that are subscribed. */
	private static List<String> subscribers() {
		return clients().stream()
			.filter((line) -> line.contains(" sub=1 "))
			.map((line) -> line.substring(0, line.indexOf(' ')))
			.toList();
	}

}
