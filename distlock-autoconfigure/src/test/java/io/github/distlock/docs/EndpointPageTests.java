package io.github.distlock.docs;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.actuate.EndpointApplication;
import io.github.distlock.testing.RedisTestServer;
import jakarta.servlet.DispatcherType;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Each {@code curl} session of the page about the endpoint, in the order of the page,
 * against an application whose locks are in a real Redis.
 */
class EndpointPageTests {

	private static final Pattern SESSION = Pattern.compile(
			"\\$ curl -u operator:secret 'http://localhost:8080([^']*)' -i -X (\\w+)\\n```\\n.*?```http\\nHTTP/1\\.1 (\\d+)\\n(.*?)```",
			Pattern.DOTALL);

	private static final Pattern CURL = Pattern.compile("(?m)^\\$ curl ");

	private static final Pattern RUNBOOK_LINE = Pattern
		.compile("(?m)^curl -u operator:secret (-X DELETE )?'http://localhost:8080([^']*)'$");

	private static final Pattern ROW = Pattern.compile("(?m)^\\| ((?:`[a-zA-Z.*\\[\\]]+`(?:, )?)+) \\|");

	private static final String TOKEN = "8212";

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	private static final Class<?> SECURITY = PageCode.of(List.of("docs/endpoint.md")).type("SecurityConfiguration");

	@AutoClose
	private static final EndpointApplication application = startInstance(SECURITY);

	/** Another instance of the same application. */
	@AutoClose
	private static final EndpointApplication other = startInstance(SECURITY);

	private static final String PAGE = Pages.text("docs/endpoint.md");

	/** As an application with spring-boot-starter-security. */
	private static EndpointApplication startInstance(Class<?>... security) {
		List<Class<?>> sources = new ArrayList<>(List.of(security));
		sources.add(RedisProgram.class);
		return EndpointApplication.start(sources.toArray(Class<?>[]::new), "distlock.backend=redis",
				"spring.data.redis.port=" + redis.port(), "distlock.shutdown-grace-period=0s",
				"management.endpoint.distlocks.access=unrestricted", "management.endpoint.distlocks.roles=OPERATOR",
				"management.endpoint.health.show-details=always", "test.security=true",
				"spring.security.user.name=operator", "spring.security.user.password=secret",
				"spring.security.user.roles=OPERATOR");
	}

	private static HttpResponse<String> send(EndpointApplication instance, String method, String path)
			throws Exception {
		return instance.send(method, path, "Authorization",
				"Basic " + Base64.getEncoder().encodeToString("operator:secret".getBytes(UTF_8)));
	}

	private static Map<String, Object> get(String path) throws Exception {
		return EndpointApplication.json(send(application, "GET", path));
	}

	@Test
	void withoutTheExemptionSpringSecurityRefusesEachReleaseAlthoughTheUserIsRight() throws Exception {
		assertThatReleasesAreRefused(401);
		assertThatReleasesAreRefused(403, OpenErrorPage.class);
	}

	private static void assertThatReleasesAreRefused(int status, Class<?>... security) throws Exception {
		HeldLock lock = application.registry().acquire(request("order-" + status));
		String path = "/actuator/distlocks/order-" + status + "?token=" + lock.fencingToken();
		try (EndpointApplication withoutExemption = startInstance(security)) {
			assertThat(send(withoutExemption, "GET", path).statusCode()).isEqualTo(200);
			assertThat(send(withoutExemption, "DELETE", path)).satisfies((response) -> {
				assertThat(response.statusCode()).isEqualTo(status);
				assertThat(response.body()).doesNotContain("\"message\"");
			});
		}
		assertThat(application.send("DELETE", path).statusCode()).isEqualTo(401);
		assertThat(lock.isHeld()).isTrue();
		assertThat(send(application, "DELETE", path).statusCode()).isEqualTo(204);
		await().untilAsserted(() -> assertThat(lock.isHeld()).isFalse());
	}

	@Test
	void eachSessionAnswersAsThePageSays() throws Exception {
		timeOutOnce();
		HeldLock lock = application.registry().acquire(request("order-42"));
		List<FutureTask<Boolean>> waiters = List.of(waiter(application), waiter(other));
		await().untilAsserted(() -> {
			Map<String, Object> redisLocks = EndpointApplication
				.map(EndpointApplication.map(get("/actuator/distlocks"), "registries"), "redis");
			assertThat(EndpointApplication.list(redisLocks, "waiting")).hasSize(1);
			Map<String, Object> stored = get("/actuator/distlocks?key=order-42");
			assertThat(EndpointApplication.list(stored, "holders")).hasSize(1)
				.allSatisfy((holder) -> assertThat(holder).containsKey("host"));
			assertThat(EndpointApplication.list(stored, "waiting")).hasSize(1)
				.allSatisfy((waiting) -> assertThat(waiting).containsKey("host"));
		});
		List<String> sessions = new ArrayList<>();
		for (Matcher session = SESSION.matcher(PAGE); session.find();) {
			String path = session.group(1);
			HttpResponse<String> response = send(application, session.group(2),
					path.replace("token=" + TOKEN, "token=" + lock.fencingToken()));
			sessions.add(session.group(2) + " " + path);
			assertThat(response.statusCode()).as(path + " answered " + response.body()).hasToString(session.group(3));
			assertSameStructure(path, response.body(), session.group(4));
			// All instants and durations have one precision, that of the page.
			assertThat(response.body() + session.group(4)).doesNotContainPattern("\\d\\.\\d{4}");
			if (session.group(3).equals("204")) {
				for (FutureTask<Boolean> waiter : waiters) {
					assertThat(waiter.get(10, TimeUnit.SECONDS)).isTrue();
				}
			}
		}
		assertThat(sessions).hasSize((int) CURL.matcher(PAGE).results().count()).hasSizeGreaterThan(7);
		await().untilAsserted(() -> assertThat(lock.isHeld()).isFalse());
	}

	@Test
	void theLinesOfTheRunbookFindAndEndTheGrant() throws Exception {
		HeldLock lock = application.registry().acquire(request("stock-42"));
		String runbook = Pages.text("docs/operations/runbook.md");
		List<Integer> answers = new ArrayList<>();
		for (Matcher line = RUNBOOK_LINE.matcher(runbook); line.find();) {
			String path = line.group(2).replace("token=" + TOKEN, "token=" + lock.fencingToken());
			HttpResponse<String> response = send(application, (line.group(1) != null) ? "DELETE" : "GET", path);
			answers.add(response.statusCode());
			if (line.group(1) == null) {
				assertThat(response.body()).contains("stock-42", "\"grantToken\":" + lock.fencingToken());
			}
		}
		assertThat(answers).containsOnly(200, 204).hasSizeGreaterThan(2).endsWith(204);
		await().untilAsserted(() -> assertThat(lock.isHeld()).isFalse());
	}

	@Test
	void theTablesDescribeEachValueOfTheExamples() {
		Set<String> described = new TreeSet<>();
		for (Matcher row = ROW.matcher(PAGE); row.find();) {
			described.addAll(List.of(row.group(1).replace("`", "").split(", ")));
		}
		for (Matcher session = SESSION.matcher(PAGE); session.find();) {
			if (session.group(1).startsWith("/actuator/distlocks") && session.group(3).equals("200")
					&& session.group(2).equals("GET")) {
				String example = session.group(4).substring(session.group(4).indexOf('{'));
				assertThat(paths(example)).allSatisfy((path) -> {
					String documented = path.replace("registries.redis", "registries.*");
					assertThat(described).containsAnyOf(documented, documented + "[]", documented + ".held",
							documented + ".id", documented + ".*");
				});
			}
		}
	}

	/** A caller that waits for the lock of the page and releases it at once. */
	private static FutureTask<Boolean> waiter(EndpointApplication instance) {
		var waiter = new FutureTask<>(() -> {
			try (HeldLock lock = instance.registry().acquire(request("order-42"))) {
				return lock.isHeld();
			}
		});
		new Thread(waiter, "waiter").start();
		return waiter;
	}

	private static void timeOutOnce() throws Exception {
		try (HeldLock lock = application.registry().acquire(request("order-41"))) {
			var attempt = new FutureTask<>(
					() -> application.registry().acquire(request("order-41").waitTime(Duration.ofMillis(1))));
			new Thread(attempt).start();
			assertThatExceptionOfType(Exception.class).isThrownBy(attempt::get)
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(lock.isHeld()).isTrue();
		}
	}

	private static LockRequest request(String key) {
		return LockRequest.of(key).name("OrderService.ship").waitTime(Duration.ofMinutes(1));
	}

	private static void assertSameStructure(String path, String actual, String documented) {
		int body = documented.indexOf('{');
		if (body < 0) {
			assertThat(actual).isEmpty();
			return;
		}
		assertThat(paths(actual)).as(path).isEqualTo(paths(documented.substring(body)));
		if (documented.contains("\"message\"")) {
			assertThat(parse(actual)).as(path).isEqualTo(parse(documented.substring(body)));
		}
	}

	private static Map<String, Object> parse(String json) {
		return JsonParserFactory.getJsonParser().parseMap(json);
	}

	private static Set<String> paths(String json) {
		Set<String> paths = new TreeSet<>();
		collect("", parse(json), paths);
		return paths;
	}

	private static void collect(String prefix, Object value, Set<String> paths) {
		if (value instanceof Map<?, ?> map) {
			map.forEach((key, child) -> {
				String path = prefix.isEmpty() ? String.valueOf(key) : prefix + "." + key;
				paths.add(path);
				collect(path, child, paths);
			});
		}
		else if (value instanceof Collection<?> list) {
			list.forEach((element) -> {
				paths.add(prefix + "[]");
				collect(prefix + "[]", element, paths);
			});
		}
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class RedisProgram {

	}

	/**
	 * The chain of the page without the exemption, and with an error page for all.
	 */
	@Configuration(proxyBeanMethods = false)
	static class OpenErrorPage {

		@Bean
		SecurityFilterChain securityFilterChain(HttpSecurity http) throws Exception {
			return http
				.authorizeHttpRequests((requests) -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
					.permitAll()
					.anyRequest()
					.authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

}
