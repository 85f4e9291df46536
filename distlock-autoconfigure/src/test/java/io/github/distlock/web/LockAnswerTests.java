package io.github.distlock.web;

import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.webflux.error.ErrorWebExceptionHandler;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a client gets if the lock is held elsewhere, or its store fails.
 */
class LockAnswerTests {

	private static final String IN_USE = body("StockService.deduct is in use", 409, "Conflict");

	private static final String CHROME = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

	private static RedisTestServer redis;

	/** Another instance, which holds the lock. */
	private static ConfigurableApplicationContext holder;

	private static HeldLock held;

	/** The application as it is, by its type. */
	private static final Map<WebApplicationType, RunningShop> shops = new EnumMap<>(WebApplicationType.class);

	@BeforeAll
	static void hold() {
		redis = RedisTestServer.start();
		holder = new SpringApplicationBuilder(Holder.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "spring.data.redis.port=" + redis.port(),
					"spring.application.name=holder")
			.run();
		held = holder.getBean(LockRegistry.class).acquire(LockRequest.of(ShopWeb.KEY));
		for (WebApplicationType type : List.of(WebApplicationType.SERVLET, WebApplicationType.REACTIVE)) {
			shops.put(type, start(type, Shared.class));
		}
	}

	@AfterAll
	static void release() {
		shops.values().forEach(RunningShop::close);
		held.close();
		holder.close();
		redis.close();
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void theStatusSaysWhatHappenedAndTheBodyNamesTheLock(WebApplicationType type) throws Exception {
		RunningShop shop = shop(type);
		for (String path : new String[] { "/deduct", "/blocking", "/joined", "/got" }) {
			assertAnswer(shop.get(path), 409, IN_USE);
		}
		assertAnswer(shop.get("/mono"), 409, body("StockService.mono is in use", 409, "Conflict"));
		assertAnswer(shop.get("/future"), 409, body("StockService.future is in use", 409, "Conflict"));
		assertAnswer(shop.get("/named"), 409, body("checkout is in use", 409, "Conflict"));
		assertAnswer(shop.get("/asynchronous"), 409, body("checkout is in use", 409, "Conflict"));
		assertAnswer(shop.get("/unnamed"), 409, body("The lock is in use", 409, "Conflict"));
		assertAnswer(shop.get("/store"), 503,
				body("StockService.deductFromDatabase is not available", 503, "Service Unavailable"));
		for (String path : new String[] { "/lost", "/wrapped", "/filtered", "/actuator/stock" }) {
			assertThat(shop.get(path).statusCode()).as(path).isEqualTo(500);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void aClientThatNamesHtmlAndNoJsonGetsAPageAlsoIfSpringAnswersWithProblemDetails(WebApplicationType type)
			throws Exception {
		try (RunningShop shop = start(type, ShopWeb.class, "spring.web.error.include-message=always",
				"spring.mvc.problemdetails.enabled=true", "spring.webflux.problemdetails.enabled=true")) {
			assertAnswer(shop.get("/deduct"), 409, IN_USE);
			for (String accepted : new String[] { CHROME, "text/html,application/xhtml+xml;q=0.9,image/*",
					"text/html, application/*", "text/html" }) {
				HttpResponse<String> page = shop.get("/deduct", accepted);
				assertThat(page.statusCode()).as(accepted).isEqualTo(409);
				assertThat(page.headers().firstValue("Content-Type")).as(accepted)
					.hasValueSatisfying((contentType) -> assertThat(contentType).startsWith("text/html"));
				assertThat(page.body()).as(accepted).contains("StockService.deduct is in use");
			}
			assertThat(shop.get("/store", "text/html").statusCode()).isEqualTo(503);
			for (String accepted : new String[] { "*/*", "application/*", "application/json",
					"application/problem+json", "application/problem+json, text/html", "TEXT/HTML, Application/JSON",
					"text/html, application/*+json", "text/plain", "text/event-stream" }) {
				assertAnswer(shop.get("/deduct", accepted), 409, IN_USE);
			}
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void aClientWithoutAPermitIsToldWhenToTryAgainAtOnceOrAfterTheWaitTime(WebApplicationType type) throws Exception {
		RunningShop shop = shop(type);
		for (String path : new String[] { "/permit", "/waiting-permit" }) {
			String name = path.equals("/permit") ? "permit" : "waitingPermit";
			HttpResponse<String> response = shop.get(path);
			assertAnswer(response, 429, body("StockService." + name + " is in use", 429, "Too Many Requests"));
			// The lease of the holder is 30 s, and renewed.
			assertThat(response.headers().firstValueAsLong("Retry-After").orElse(0)).as(path).isBetween(1L, 31L);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void aClientBehindTooManyOthersIsToldWhenToTryAgain(WebApplicationType type) throws Exception {
		RunningShop shop = shop(type);
		shop.waitForLock();
		for (String path : new String[] { "/limited", "/limited-mono" }) {
			String name = path.equals("/limited") ? "limited" : "limitedMono";
			HttpResponse<String> response = shop.get(path);
			assertAnswer(response, 429, body("StockService." + name + " is in use", 429, "Too Many Requests"));
			assertThat(response.headers().allValues("Retry-After")).containsExactly("1");
			HttpResponse<String> page = shop.get(path, "text/html");
			assertThat(page.statusCode()).isEqualTo(429);
			assertThat(page.headers().allValues("Retry-After")).containsExactly("1");
		}
		assertThat(shop.get("/deduct").headers().firstValue("Retry-After")).as("after a time-out").isEmpty();
		assertThat(shop.get("/store", "text/html").headers().firstValue("Retry-After")).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void anAdviceAndAHandlerOfAllExceptionsOfTheApplicationWin(WebApplicationType type) throws Exception {
		assertThat(shop(type).get("/advised/deduct").statusCode()).isEqualTo(422);
		assertThat(shop(type).get("/advised/store").statusCode()).isEqualTo(503);
		assertThat(shop(type).get("/deduct?handled").statusCode()).isEqualTo(422);
	}

	@Test
	void anErrorHandlerWithoutAnOrderWins() throws Exception {
		try (RunningShop shop = start(WebApplicationType.REACTIVE, ErrorHandler.class)) {
			assertThat(shop.get("/deduct").statusCode()).isEqualTo(422);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void theAnswersCanBeSwitchedOff(WebApplicationType type) throws Exception {
		try (RunningShop shop = start(type, ShopWeb.class, "distlock.web.enabled=false")) {
			assertThat(shop.get("/deduct").statusCode()).isEqualTo(500);
			assertThat(shop.get("/store").statusCode()).isEqualTo(500);
		}
	}

	/** Otherwise the search of the bodies would prove nothing. */
	@Test
	void theMessageOfTheExceptionSaysWhatNoBodySays() throws Exception {
		String instance = "holder@" + InetAddress.getLocalHost().getHostName() + ":" + ProcessHandle.current().pid();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> shop(WebApplicationType.SERVLET).locks()
				.acquire(LockRequest.of(ShopWeb.KEY).waitTime(Duration.ZERO)))
			.withMessageContainingAll(ShopWeb.KEY, instance);
	}

	private static RunningShop shop(WebApplicationType type) {
		return Objects.requireNonNull(shops.get(type));
	}

	private static RunningShop start(WebApplicationType type, Class<?> further, String... properties) {
		return RunningShop.start(type, redis.port(), further, properties);
	}

	private static void assertAnswer(HttpResponse<String> response, int status, String body) {
		assertThat(response.body()).isEqualTo(body);
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
	}

	private static String body(String detail, int status, String title) {
		return "{\"detail\":\"" + detail + "\",\"status\":" + status + ",\"title\":\"" + title + "\"}";
	}

	@EnableAutoConfiguration
	static class Holder {

	}

	/** The same methods below another path. */
	@RestController
	@RequestMapping("/advised")
	static class Advised extends ShopWeb.Controller {

	}

	@RestControllerAdvice(assignableTypes = Advised.class)
	static class Advice {

		@ExceptionHandler(LockNotAcquiredException.class)
		@ResponseStatus(HttpStatus.UNPROCESSABLE_CONTENT)
		void inUse() throws Exception {
		}

	}

	/** Handles all exceptions of requests that say so. */
	@Import({ Advised.class, Advice.class })
	static class Shared {

		@Bean
		HandlerExceptionResolver resolver() {
			return (request, response, handler, ex) -> {
				if (!"handled".equals(request.getQueryString())) {
					return null;
				}
				response.setStatus(422);
				return new ModelAndView();
			};
		}

		/** The last precedence before that of Spring Boot's own. */
		@Bean
		@Order(-1)
		WebExceptionHandler handler() {
			return (exchange, ex) -> {
				if (!"handled".equals(exchange.getRequest().getURI().getQuery())) {
					return Mono.error(ex);
				}
				exchange.getResponse().setStatusCode(HttpStatus.UNPROCESSABLE_CONTENT);
				return Mono.empty();
			};
		}

	}

	static class ErrorHandler {

		@Bean
		ErrorWebExceptionHandler errorHandler() {
			return (exchange, ex) -> {
				exchange.getResponse().setStatusCode(HttpStatus.UNPROCESSABLE_CONTENT);
				return Mono.empty();
			};
		}

	}

	/** The application with a server. Searches each body for what no client may learn. */
	static final class RunningShop implements AutoCloseable {

		private static final long PID = ProcessHandle.current().pid();

		private final HttpClient client = HttpClient.newHttpClient();

		private final ConfigurableApplicationContext context;

		private RunningShop(ConfigurableApplicationContext context) {
			this.context = context;
		}

		/**
		 * Start the application.
		 * @param type with or without servlets
		 * @param redisPort the port of the store
		 * @param further a further configuration, such as an advice
		 * @param properties further properties
		 */
		static RunningShop start(WebApplicationType type, int redisPort, Class<?> further, String... properties) {
			return new RunningShop(new SpringApplicationBuilder(ShopWeb.class, further).web(type)
				.properties("spring.main.banner-mode=off", "server.port=0", "server.address=127.0.0.1",
						"spring.data.redis.port=" + redisPort, "distlock.redis.command-timeout=9s",
						"spring.application.name=shop", "spring.datasource.url=jdbc:h2:mem:without-table",
						"distlock.jdbc.enabled=true", "distlock.jdbc.initialize-schema=never",
						"management.endpoints.web.exposure.include=stock", "distlock.shutdown-grace-period=0s")
				.properties(properties)
				.run());
		}

		/**
		 * Let a caller of this instance wait for the lock, until the application ends.
		 */
		void waitForLock() {
			locks().acquireAsync(LockRequest.of(ShopWeb.KEY).waitTime(LockRequest.FOREVER));
			await().until(() -> locks().snapshot().waiting().size() == 1);
		}

		BackendLockRegistry locks() {
			return this.context.getBean("distlockRedisLockRegistry", BackendLockRegistry.class);
		}

		/** Send a request of a client that names one media type, or none. */
		HttpResponse<String> get(String path, String... accept) throws Exception {
			HttpRequest.Builder request = HttpRequest.newBuilder(URI
				.create("http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port") + path));
			Stream.of(accept).forEach((type) -> request.header("Accept", type));
			HttpResponse<String> response = this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
			assertThat(response.body().replaceAll("\"timestamp\":\"[^\"]*\"|<div id='created'>[^<]*", ""))
				.as("HTTP status %s for %s", response.statusCode(), path)
				.doesNotContain(ShopWeb.KEY)
				.doesNotContain(InetAddress.getLocalHost().getHostName() + ":")
				.doesNotContainPattern("(?<!\\d)" + PID + "(?!\\d)")
				.doesNotContain("Redis")
				.doesNotContain("at io.github");
			return response;
		}

		@Override
		public void close() {
			this.context.close();
		}

	}

}
