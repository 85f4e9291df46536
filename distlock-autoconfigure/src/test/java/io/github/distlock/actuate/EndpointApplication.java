package io.github.distlock.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.assertj.core.api.AbstractStringAssert;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A started application with the actuator on a port of its own, without Spring Security
 * unless a test brings it. Its locks are in its memory unless a test says otherwise.
 */
public final class EndpointApplication implements AutoCloseable {

	static final String[] OPEN = { "management.endpoint.distlocks.access=unrestricted",
			"management.endpoint.distlocks.show-values=always" };

	private final ConfigurableApplicationContext context;

	private final HttpClient http = HttpClient.newHttpClient();

	private EndpointApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	public static EndpointApplication start(String... properties) {
		return start(new Class<?>[] { Program.class }, properties);
	}

	public static EndpointApplication start(Class<?>[] sources, String... properties) {
		return start(new SpringApplicationBuilder(sources), properties);
	}

	static EndpointApplication start(SpringApplicationBuilder application, String... properties) {
		String[] arguments = Arrays.stream(properties).map("--"::concat).toArray(String[]::new);
		return new EndpointApplication(application
			.properties("server.port=0", "spring.application.name=shop", "distlock.backend=local",
					"management.endpoints.web.exposure.include=*")
			.run(arguments));
	}

	public LockRegistry registry() {
		return bean(LockRegistry.class);
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	public <T> T bean(String name, Class<T> type) {
		return this.context.getBean(name, type);
	}

	public String url() {
		Environment environment = this.context.getEnvironment();
		return "http://127.0.0.1:" + environment.getProperty("local.management.port",
				environment.getRequiredProperty("local.server.port"));
	}

	public HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return send("GET", path);
	}

	public HttpResponse<String> delete(String path) throws IOException, InterruptedException {
		return send("DELETE", path);
	}

	AbstractStringAssert<?> assertGet(int status, String path) throws IOException, InterruptedException {
		return assertStatus(status, get(path));
	}

	AbstractStringAssert<?> assertDelete(int status, String path) throws IOException, InterruptedException {
		return assertStatus(status, delete(path));
	}

	private static AbstractStringAssert<?> assertStatus(int status, HttpResponse<String> response) {
		assertThat(response.statusCode()).as("status of %s", response).isEqualTo(status);
		return assertThat(response.body());
	}

	/** Send a request; its headers are pairs of name and value. */
	public HttpResponse<String> send(String method, String path, String... headers)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url() + path))
			.method(method, HttpRequest.BodyPublishers.noBody());
		if (headers.length > 0) {
			request.headers(headers);
		}
		return this.http.send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	public Map<String, Object> local() throws IOException, InterruptedException {
		return map(map(json("/actuator/distlocks"), "registries"), "local");
	}

	public long grantToken(String key) throws IOException, InterruptedException {
		Map<String, Object> holder = list(json("/actuator/distlocks?key=" + key), "holders").get(0);
		return number(holder, "grantToken");
	}

	public static long number(Map<String, Object> object, String name) {
		return ((Number) Objects.requireNonNull(object.get(name))).longValue();
	}

	public List<AuditEvent> audit() {
		return bean(AuditEventRepository.class).find(null, null, null)
			.stream()
			.filter((event) -> event.getType().startsWith("DISTLOCK"))
			.toList();
	}

	public CompletableFuture<HeldLock> acquireElsewhere(String key) {
		return registry().acquireAsync(LockRequest.of(key).waitTime(Duration.ofMinutes(1)));
	}

	Map<String, Object> json(String path) throws IOException, InterruptedException {
		return json(get(path));
	}

	public static Map<String, Object> json(HttpResponse<String> response) {
		return JsonParserFactory.getJsonParser().parseMap(response.body());
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	public static Map<String, Object> map(Map<String, Object> parent, String name) {
		return (Map<String, Object>) parent.get(name);
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	public static List<Map<String, Object>> list(Map<String, Object> parent, String name) {
		return (List<Map<String, Object>>) parent.get(name);
	}

	@Override
	public void close() {
		this.context.close();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration(exclude = { DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class })
	static class Program {

		@Bean
		AuditEventRepository auditEventRepository() {
			return new InMemoryAuditEventRepository();
		}

	}

}
