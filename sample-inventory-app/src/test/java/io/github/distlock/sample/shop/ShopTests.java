package io.github.distlock.sample.shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The services of the shop, each in a JVM of its own, over a real Redis.
 */
class ShopTests {

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private final HttpClient http = HttpClient.newHttpClient();

	private final List<Process> processes = new ArrayList<>();

	private final Path folder;

	private final int redisPort;

	private final RedisServer redis;

	ShopTests(@TempDir Path folder) throws IOException {
		this.folder = folder;
		try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.redisPort = free.getLocalPort();
		}
		this.redis = RedisServer.newRedisServer().port(this.redisPort).setting("save \"\"").build();
	}

	@BeforeEach
	void startRedis() throws IOException {
		this.redis.start();
	}

	@AfterEach
	void stop() throws IOException {
		this.processes.forEach(Process::destroyForcibly);
		this.processes.forEach((process) -> process.onExit().join());
		this.redis.stop();
	}

	@Test
	void eachTicketIsSoldOnce() throws Exception {
		String one = start("stock");
		String two = start("stock");
		String shop = start("orders", "--spring.profiles.active=orders", "--shop.nodes=" + one + "," + two);
		send("PUT", one + "/stock/ticket?quantity=500");
		ExecutorService buyers = Executors.newFixedThreadPool(32);
		Callable<HttpResponse<String>> order = () -> send("POST", shop + "/orders?sku=ticket");
		for (Future<HttpResponse<String>> answer : buyers.invokeAll(Collections.nCopies(800, order))) {
			assertThat(answer.get().statusCode()).as(answer.get().body()).isEqualTo(200);
		}
		buyers.shutdown();
		assertThat(send("GET", two + "/stock/ticket").body())
			.isEqualTo("{\"sku\":\"ticket\",\"quantity\":0,\"sold\":500,\"serials\":500}");
		assertThat(JdbcClient.create(new DriverManagerDataSource(database("orders")))
			.sql("SELECT COUNT(DISTINCT serial_number) FROM orders")
			.query(Integer.class)
			.single()).isEqualTo(500);
	}

	@Test
	void aBuyerThatWaitsLongerThanTheWaitTimeIsRefused() throws Exception {
		String slow = start("stock", "--shop.work=10m");
		String other = start("stock", "--shop.wait-time=1s", "--distlock.redis.command-timeout=3s");
		send("PUT", other + "/stock/ticket?quantity=1000000");
		this.http.sendAsync(request("POST", slow + "/stock/ticket/deduct"), HttpResponse.BodyHandlers.discarding());
		HttpResponse<String> answer = send("POST", other + "/stock/ticket/deduct");
		// Until the slow node has the lock.
		while (answer.body().contains("\"accepted\":true")) {
			answer = send("POST", other + "/stock/ticket/deduct");
		}
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
		assertThat(send("POST", other + "/stock/book/deduct").statusCode()).isEqualTo(200);
	}

	/** Start a service, and return its address. */
	private String start(String database, String... settings) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:TieredStopAtLevel=1", "-cp",
						System.getProperty("java.class.path"), ShopApplication.class.getName(), "--server.port=0",
						"--spring.data.redis.port=" + this.redisPort, "--spring.datasource.url=" + database(database)));
		command.addAll(List.of(settings));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		this.processes.add(process);
		BufferedReader output = process.inputReader();
		List<String> lines = new ArrayList<>();
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			lines.add(line);
			Matcher port = PORT.matcher(line);
			if (port.find()) {
				new Thread(() -> output.lines().forEach((rest) -> {
				})).start();
				return "http://127.0.0.1:" + port.group(1);
			}
		}
		throw new AssertionError("The service did not start:\n" + String.join("\n", lines));
	}

	private String database(String name) {
		return "jdbc:h2:file:" + this.folder.resolve(name) + ";AUTO_SERVER=TRUE";
	}

	private HttpResponse<String> send(String method, String address) throws IOException, InterruptedException {
		return this.http.send(request(method, address), HttpResponse.BodyHandlers.ofString());
	}

	private static HttpRequest request(String method, String address) {
		return HttpRequest.newBuilder(URI.create(address)).method(method, HttpRequest.BodyPublishers.noBody()).build();
	}

}
