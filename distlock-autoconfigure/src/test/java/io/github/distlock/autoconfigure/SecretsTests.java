package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.ProjectFiles;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.ZooDefs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Passwords are planted in the configuration of all stores, and none of them appears in
 * the log at the lowest level, in an exception, in an endpoint, or in the text of a bean,
 * however the application fails. Everything that an application shows is noted: its
 * exceptions, its endpoints, and the texts of its beans.
 */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class SecretsTests {

	/** A part of each secret, in lower case. */
	private static final String MARK = "pl4nted";

	private static final String RIGHT = MARK + "-right";

	private static final String WRONG = MARK + "-wrong";

	private static final String DATABASE = "jdbc:h2:mem:secrets;DB_CLOSE_DELAY=-1";

	private static final List<String> STORES = List.of("redis", "redlock", "jdbc", "zookeeper");

	private static final List<RedisTestServer> servers = new ArrayList<>();

	@AutoClose
	private static final ZooKeeperTestServer zooKeeper = ZooKeeperTestServer.start();

	@BeforeAll
	static void startServers() throws Exception {
		for (int i = 0; i < 3; i++) {
			servers.add(RedisTestServer.start("user locks on >" + RIGHT + " ~* &* +@all",
					"user weak on >" + RIGHT + " ~* &* +@all -time -zrank"));
		}
		try (CuratorFramework owner = curator(zooKeeper.connectString(), "locks", RIGHT)) {
			owner.start();
			owner.blockUntilConnected();
			owner.create().forPath("/weak");
			owner.create().forPath("/locks");
		}
		DriverManagerDataSource database = new DriverManagerDataSource(DATABASE, "locks", RIGHT);
		new ResourceDatabasePopulator(new ClassPathResource("io/github/distlock/backend/jdbc/schema-h2.sql"))
			.execute(database);
		new JdbcTemplate(database).execute("CREATE USER weak PASSWORD '" + RIGHT + "'");
	}

	@AfterAll
	static void stopServers() {
		servers.forEach(RedisTestServer::close);
	}

	@AfterEach
	void resetLogging() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.github.distlock", null);
		ZooKeeperTestServer.disableLogging();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void inAnApplicationThatLocks(String driver, CapturedOutput output) throws Exception {
		assumeTrue(driver.equals("lettuce") || Boolean.getBoolean("distlock.full"), "Only with -Ddistlock.full=true");
		try (ConfigurableApplicationContext context = start("locks", RIGHT, ports(), zooKeeper.connectString(),
				"--spring.data.redis.client-type=" + driver)) {
			LockRegistry redis = context.getBean(LockRegistry.class);
			for (LockRegistry registry : context.getBeansOfType(LockRegistry.class).values()) {
				await().atMost(Duration.ofSeconds(20)).ignoreExceptions().untilAsserted(() -> {
					try (HeldLock held = registry.acquire(LockRequest.of("key"))) {
						assertThat(held.isHeld()).isTrue();
						note("hold", held);
						assertThat(registry.tryAcquire(LockRequest.of("key").waitTime(Duration.ZERO))).isPresent();
					}
				});
				note("registry", registry);
			}
			HeldLock held = redis.acquire(LockRequest.of("customer-" + MARK).leaseTime(Duration.ofMinutes(5)));
			endpoints(context);
			managementBeans();
			beans(context);
			assertThat(at("distlocks")).contains("\"state\":\"held\"", "******");
			assertThat(at("configprops")).contains("distlock.redlock", "******");
			held.close();
		}
		// Keys are not secret: logs and the exceptions of their callers name them.
		assertHidden(flushed(output).toString().replace("customer-" + MARK, ""));
	}

	@Test
	void inAnApplicationWhoseStoresCannotBeReached(CapturedOutput output) throws Exception {
		failInUse(start("locks", RIGHT, List.of(1, 2, 3), "127.0.0.1:1",
				"--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/shop?user=locks&password=" + RIGHT,
				"--distlock.jdbc.mode=connection"));
		assertHidden(output);
	}

	@ParameterizedTest
	@CsvSource({ "locks, " + WRONG, "weak, " + RIGHT })
	void inAnApplicationWithWrongPasswordsOrWithoutRights(String user, String password, CapturedOutput output)
			throws Exception {
		// The other tests start applications that are similar; this takes seconds.
		assumeTrue(Boolean.getBoolean("distlock.full"), "Only with -Ddistlock.full=true");
		failInUse(start(user, password, ports(), zooKeeper.connectString()));
		assertHidden(output);
	}

	@Test
	void aBillOfMaterialsHasNoCredentialsAndNoPathsOfTheBuild() throws IOException {
		List<Path> bills = billsOfMaterials();
		assumeTrue(!bills.isEmpty(), "No bill of materials was built");
		for (Path bill : bills) {
			assertThat(Files.readString(bill)).as("%s", bill)
				.doesNotContainPattern("//[^/\\s\"]*:[^/\\s\"]*@")
				.doesNotContainIgnoringCase("password")
				.doesNotContain(System.getProperty("user.home") + "/", Path.of("..").toRealPath() + "/");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "--distlock.backend=redis", "--distlock.backend=redlock", "--distlock.backend=jdbc",
			"--distlock.backend=zookeeper", "--spring.data.redis.client-type=jedis",
			"--spring.data.redis.client-type=jedis "
					+ "--spring.data.redis.url= --spring.data.redis.host=127.0.0.1 --spring.data.redis.port=1",
			"--spring.data.redis.url= --spring.data.redis.sentinel.master=shop "
					+ "--spring.data.redis.sentinel.nodes=127.0.0.1:1 "
					+ "--spring.data.redis.sentinel.password=pl4nted",
			"--spring.data.redis.url= --spring.data.redis.client-type=jedis --spring.data.redis.sentinel.master=shop "
					+ "--spring.data.redis.sentinel.nodes=127.0.0.1:1 "
					+ "--spring.data.redis.sentinel.password=pl4nted",
			"--spring.data.redis.url= --spring.data.redis.cluster.nodes=127.0.0.1:1",
			"--spring.data.redis.url= --spring.data.redis.client-type=jedis "
					+ "--spring.data.redis.cluster.nodes=127.0.0.1:1",
			"--distlock.backend=jdbc "
					+ "--spring.datasource.url=jdbc:mariadb://127.0.0.1:1/shop?user=locks&password=pl4nted",
			"--distlock.backend=jdbc " + "--spring.datasource.url=jdbc:mariadb://locks:pl4nted@127.0.0.1:1/shop" })
	void inAStartThatFailsFast(String properties, CapturedOutput output) {
		failing(properties.replace(MARK, ""), () -> {
			List<String> arguments = new ArrayList<>(List.of("--distlock.backend=redis", "--distlock.fail-fast=true",
					"--spring.data.redis.username=locks", "--spring.data.redis.password=" + WRONG));
			arguments.addAll(List.of(properties.split(" ")));
			return start(false, "locks", WRONG, ports(), "127.0.0.1:1", arguments.toArray(String[]::new));
		});
		assertThat(flushed(output)).contains("APPLICATION FAILED TO START");
		assertHidden(output);
	}

	@ParameterizedTest
	@ValueSource(strings = { "distlock.redlock.nodes[0].url=redis://locks:pl4nted@127.0.0.1:port",
			"distlock.redlock.nodes[0].port=unknown", "distlock.redlock.nodes[0]=redis://locks:pl4nted@127.0.0.1",
			"distlock.redlock.nodes=redis://locks:pl4nted@127.0.0.1,redis://locks:pl4nted@127.0.0.2",
			"spring.datasource.url=jdbc:postgresql://locks:pl4nted@127.0.0.1:1/shop",
			"spring.datasource.url=jdbc:h2:tcp:locks;PASSWORD=pl4nted" })
	void inAConfigurationThatIsWrong(String property, CapturedOutput output) {
		failing(property, () -> {
			start(false, "locks", RIGHT, List.of(), zooKeeper.connectString(),
					"--distlock.backend=" + (property.startsWith("distlock") ? "redlock" : "jdbc"),
					"--distlock.fail-fast=true", "--distlock.redlock.nodes[0].password=" + RIGHT, "--" + property)
				.close();
			return "";
		});
		assertThat(flushed(output)).contains("APPLICATION FAILED TO START");
		assertHidden(output);
	}

	/** Those of all modules, if they were built before. */
	private static List<Path> billsOfMaterials() throws IOException {
		return ProjectFiles.matching((file) -> file.toString().matches(".*/target/(.*/)?(bom|.*\\.cdx)\\.(json|xml)"));
	}

	private void failInUse(ConfigurableApplicationContext context) throws Exception {
		try (context) {
			Map<String, LockRegistry> registries = context.getBeansOfType(LockRegistry.class);
			assertThat(registries).hasSizeGreaterThanOrEqualTo(STORES.size());
			for (var registry : registries.entrySet()) {
				failing(registry.getKey(),
						() -> registry.getValue().acquire(LockRequest.of("key").waitTime(Duration.ofMillis(100))));
			}
			endpoints(context);
			beans(context);
		}
	}

	private static List<Integer> ports() {
		return servers.stream().map(RedisTestServer::port).toList();
	}

	private static ConfigurableApplicationContext start(String user, String password, List<Integer> ports,
			String connectString, String... more) {
		List<String> arguments = new ArrayList<>(List.of("--distlock.backend=redis", "--distlock.redlock.enabled=true",
				"--distlock.jdbc.enabled=true", "--distlock.zookeeper.enabled=true"));
		arguments.addAll(List.of(more));
		return start(true, user, password, ports, connectString, arguments.toArray(String[]::new));
	}

	private static ConfigurableApplicationContext start(boolean web, String user, String password, List<Integer> ports,
			String connectString, String... more) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--spring.application.name=shop",
				"--logging.level.io.github.distlock=trace", "--management.endpoints.web.exposure.include=*",
				"--spring.jmx.enabled=true", "--management.endpoints.jmx.exposure.include=*",
				"--management.endpoint.health.show-details=always", "--management.health.redis.enabled=false",
				"--management.health.db.enabled=false", "--distlock.backend-timeout=1s",
				"--distlock.jdbc.command-timeout=300ms", "--distlock.zookeeper.command-timeout=300ms",
				"--distlock.redis.command-timeout=300ms", "--distlock.redlock.node-timeout=300ms",
				"--distlock.lease-time=1s", "--distlock.redlock.longest-lease=2s",
				"--spring.data.redis.url=redis://" + user + ":" + password + "@127.0.0.1:"
						+ (ports.isEmpty() ? 1 : ports.get(0)),
				"--spring.datasource.url=" + DATABASE, "--spring.datasource.username=" + user,
				"--spring.datasource.password=" + password, "--distlock.jdbc.initialize-schema=never",
				"--spring.datasource.hikari.connection-timeout=250", "--test.connect-string=" + connectString,
				"--test.password=" + password, "--distlock.zookeeper.root=/" + user));
		for (int i = 0; i < ports.size(); i++) {
			String node = "--distlock.redlock.nodes[" + i + "].";
			arguments
				.addAll((i == 0) ? List.of(node + "url=redis://" + user + ":" + password + "@127.0.0.1:" + ports.get(i))
						: List.of(node + "host=127.0.0.1", node + "port=" + ports.get(i), node + "username=" + user,
								node + "password=" + password));
		}
		for (String argument : more) {
			String name = argument.substring(0, argument.indexOf('=') + 1);
			arguments.removeIf((earlier) -> earlier.startsWith(name));
			arguments.add(argument);
		}
		return new SpringApplicationBuilder(Program.class)
			.web(web ? WebApplicationType.SERVLET : WebApplicationType.NONE)
			.registerShutdownHook(false)
			.run(arguments.toArray(String[]::new));
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration(
			exclude = { DataJpaRepositoriesAutoConfiguration.class, HibernateJpaAutoConfiguration.class })
	static class Program {

		@Bean(initMethod = "start", destroyMethod = "close")
		CuratorFramework curator(@Value("${test.connect-string}") String connectString,
				@Value("${spring.datasource.username}") String user, @Value("${test.password}") String password) {
			return SecretsTests.curator(connectString, user, password);
		}

	}

	private static CuratorFramework curator(String connectString, String user, String password) {
		return CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs(5000)
			.connectionTimeoutMs(500)
			.retryPolicy(new RetryNTimes(0, 0))
			.authorization("digest", (user + ":" + password).getBytes(StandardCharsets.UTF_8))
			// Only the user that created a node may use it.
			.aclProvider(mock(ACLProvider.class, (call) -> ZooDefs.Ids.CREATOR_ALL_ACL))
			.build();
	}

	private final Map<String, String> shown = new LinkedHashMap<>();

	/** Run an action that fails, and note the exception with its causes. */
	void failing(String action, Callable<?> call) {
		try {
			Object result = call.call();
			throw new AssertionError(action + " has not failed: " + result);
		}
		catch (Exception ex) {
			StringWriter text = new StringWriter();
			ex.printStackTrace(new PrintWriter(text));
			note("exception of " + action, text.toString());
		}
	}

	void note(String where, @Nullable Object text) {
		this.shown.merge(where, String.valueOf(text), String::concat);
	}

	/** Note the answers of all endpoints that need no parameter. */
	void endpoints(ConfigurableApplicationContext context) throws Exception {
		String url = "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port")
				+ "/actuator";
		Map<String, Object> index = JsonParserFactory.getJsonParser().parseMap(get(url));
		for (Object link : ((Map<?, ?>) Objects.requireNonNull(index.get("_links"))).values()) {
			String target = String.valueOf(((Map<?, ?>) link).get("href"));
			if (!target.contains("{") && !target.contains("heapdump")) {
				note(target, get(target));
			}
		}
	}

	/** Note what all endpoints say over JMX, if they need no parameter. */
	void managementBeans() throws Exception {
		MBeanServer server = ManagementFactory.getPlatformMBeanServer();
		Set<ObjectName> names = server.queryNames(new ObjectName("org.springframework.boot:type=Endpoint,*"), null);
		assertThat(names).extracting((name) -> name.getKeyProperty("name")).contains("Configprops", "Env");
		for (ObjectName name : names) {
			for (MBeanOperationInfo operation : server.getMBeanInfo(name).getOperations()) {
				boolean reads = operation.getImpact() == MBeanOperationInfo.INFO
						&& !operation.getName().contains("eap");
				Class<?>[] optional = { Integer.class, String.class, String.class };
				if (reads && operation.getSignature().length == 0) {
					note(name.toString(), server.invoke(name, operation.getName(), new Object[0], new String[0]));
				}
				else if (operation.getName().equals("locks")) {
					note(name.toString(), server.invoke(name, "locks", new Object[optional.length],
							Arrays.stream(optional).map(Class::getName).toArray(String[]::new)));
				}
			}
		}
	}

	private static String get(String url) throws IOException, InterruptedException {
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
			.body();
	}

	void beans(ConfigurableApplicationContext context) {
		for (String name : context.getBeanDefinitionNames()) {
			if (context.getBeanFactory().containsSingleton(name)) {
				Object bean = context.getBean(name);
				if (bean.getClass().getName().startsWith("io.github.distlock.")) {
					note("bean " + name, bean);
				}
			}
		}
	}

	void assertHidden(CharSequence output) {
		note("output", output);
		this.shown.forEach(
				(where, text) -> assertThat(text.toLowerCase(Locale.ROOT).lines().filter((line) -> line.contains(MARK)))
					.as(where)
					.isEmpty());
	}

	String at(String endpoint) {
		return this.shown.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().endsWith("/actuator/" + endpoint))
			.map(Map.Entry::getValue)
			.collect(Collectors.joining());
	}

}
