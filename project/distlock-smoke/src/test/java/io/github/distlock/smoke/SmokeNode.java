package io.github.distlock.smoke;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

import org.apache.curator.test.TestingServer;

import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One node of the smoke application. All nodes share one database and one ZooKeeper.
 */
final class SmokeNode implements Server {

	private final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private SmokeNode(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Start a node.
	 * @param driver the value of {@code spring.data.redis.client-type}
	 * @param redisPort the port of Redis
	 * @return the node
	 */
	static SmokeNode start(String driver, int redisPort) {
		return new SmokeNode(new SpringApplicationBuilder(SmokeApplication.class).run(
				"--spring.data.redis.client-type=" + driver, "--spring.data.redis.port=" + redisPort,
				"--spring.datasource.url=jdbc:h2:mem:smoke-" + redisPort + ";DB_CLOSE_DELAY=-1",
				"--distlock.transaction.fence=true", "--distlock.redis.command-timeout=5s",
				"--distlock.jdbc.command-timeout=5s", "--distlock.zookeeper.command-timeout=5s",
				"--distlock.zookeeper.connect-string=" + ZooKeeper.SERVER.getConnectString()));
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	<T> T bean(String qualifier, Class<T> type) {
		return BeanFactoryAnnotationUtils.qualifiedBeanOfType(this.context.getBeanFactory(), type, qualifier);
	}

	/** Return what Redis says about itself. */
	Properties redisInfo() {
		try (RedisConnection connection = bean(RedisConnectionFactory.class).getConnection()) {
			Properties info = connection.serverCommands().info("server");
			return (info != null) ? info : new Properties();
		}
	}

	/** Send a GET request, which must succeed. */
	String get(String path) {
		URI address = URI
			.create("http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port") + path);
		try {
			HttpResponse<String> response = this.client.send(HttpRequest.newBuilder(address).build(),
					HttpResponse.BodyHandlers.ofString());
			assertThat(response.statusCode()).as(response::body).isEqualTo(200);
			return response.body();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

	/** Started once for each JVM. */
	private static final class ZooKeeper {

		static final TestingServer SERVER = start();

		private static TestingServer start() {
			try {
				Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir", "")));
				TestingServer server = new TestingServer(true);
				Runtime.getRuntime().addShutdownHook(new Thread(() -> {
					try {
						server.close();
					}
					catch (IOException ex) {
						throw new UncheckedIOException(ex);
					}
				}));
				return server;
			}
			catch (Exception ex) {
				throw new IllegalStateException("ZooKeeper does not start", ex);
			}
		}

	}

}
