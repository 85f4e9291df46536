package io.github.distlock.sample;

import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.actuate.HotKeys;
import io.github.distlock.actuate.RecentLockEvents;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import redis.embedded.RedisServer;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.actuate.autoconfigure.audit.AuditAutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of the endpoint in a real browser, opened at a real application.
 */
@Tag(Installed.TAG)
class LocksPageTests {

	private static final String SHOWN = "management.endpoint.distlocks.show-values=always";

	private static final String OPEN = "management.endpoint.distlocks.access=unrestricted";

	private static final String THREAD = "thread-of-the-holder";

	private static Browser browser;

	private static LabPage page;

	@BeforeAll
	static void startBrowser() {
		browser = Browser.start("locks");
		page = new LabPage(browser, URI.create("http://127.0.0.1"));
	}

	@AfterAll
	static void stopBrowser() {
		if (browser != null) {
			browser.close();
		}
	}

	@AfterEach
	void thePageHadNoErrorsAndAskedNobodyElse() {
		List<String> complaints = browser.complaints();
		browser.forgetComplaints();
		browser.media(Map.of());
		browser.size(1280, 900);
		assertThat(complaints).isEmpty();
		assertThat(browser.foreignRequests()).isEmpty();
	}

	@Test
	void whoHoldsAndWhoWaits() throws Exception {
		try (Node node = new Node(SHOWN)) {
			HeldLock held = node.acquire("order-42");
			CompletableFuture<HeldLock> next = node.acquireAsync("order-42");
			node.open("?lang=en");
			await(() -> text("#waiting").contains("order-42"));
			assertThat(text("#held li"))
				.contains("order-42", "OrderService.ship", "token " + held.fencingToken(), "1 waiting", "0 renewals",
						THREAD, host(), "shop")
				.containsPattern("\\d+ s of the lease left");
			assertThat(text("#tiles")).isEqualTo("Held1Waiting1At risk0Lost0");
			assertThat(page.attribute(".lease", "title")).contains("the length of its lease is not known");
			assertThat(shown("#held .alarm")).as("read only").isFalse();
			assertThat((List<?>) browser.script("""
					return [...document.querySelectorAll('button')].map((each) => [each.ariaLabel, each.textContent])
					  .filter(([name, text]) => name && !name.includes(text))""")).as("names without the text")
				.isEmpty();
			held.close();
			await(() -> text("#held li").contains("asynchronous") && text("#tiles").contains("Waiting0"));
			next.join().close();
			await(() -> text("#verdict").contains("This instance holds no lock"));
		}
	}

	@Test
	void aKeyForWhichACallerHasWaitedIsAHotKey() {
		try (Node node = new Node(SHOWN)) {
			CompletableFuture<HeldLock> next;
			try (HeldLock held = node.acquire("order-42")) {
				next = node.acquireAsync(held.key());
				node.open("?lang=en");
				await(() -> text("#waiting").contains("order-42"));
				assertThat(text("#hot")).isEmpty();
			}
			next.join().close();
			node.endWait("order-43");
			await(() -> page.elements("#hot li").size() == 2);
			assertThat(page.elements("#hot li").stream().map(WebElement::getText)).anySatisfy((row) -> assertThat(row)
				.contains("order-42", "OrderService.ship", "1 wait ", "longest ", "held by OrderService.ship")
				.doesNotContain("PT", "perhaps"));
			assertThat(page.attribute("#hot-box", "aria-label")).isEqualTo("Hot keys");
		}
	}

	@Test
	void anOperatorEndsAGrantAndItsHolderHasLostTheLock() throws Exception {
		String key = "a b/+\u00fc&'<42>";
		try (Node node = new Node(SHOWN, OPEN); HeldLock oldest = node.acquire("order-41")) {
			HeldLock held = node.acquire(key);
			CompletableFuture<HeldLock> next = node.acquireAsync(key);
			node.open("?lang=en");
			await(() -> page.elements("#held .alarm").size() == 2);
			assertThat(text("#held li:first-child")).contains(oldest.key());
			page.elements("#held .alarm").get(1).click();
			assertThat(text("#dialog")).contains("End this grant?", key, host(), THREAD,
					"End grant " + held.fencingToken());
			assertThat(page.focused()).isEqualTo("BUTTON:Close");
			page.press(Keys.TAB, Keys.ENTER);
			await(() -> text("#dialog pre").contains("DISTLOCK_RELEASED"));
			assertThat(text("#dialog .notice")).isEqualTo("Ended (204). The next waiter enters.");
			next.join().close();
			// The page may still show that the next one has held the lock.
			await(() -> text("#held-count").equals("1") && page.elements("#verdict-text p").size() == 2);
			assertThat(page.elements("#verdict-text p").stream().map(WebElement::getText)).containsExactly(
					"All held locks have a valid lease", "1 lock was ended by an operator in the last 10 minutes");
			assertThat(text("#tiles")).endsWith("Lost0");
			assertThat(text("#recent")).contains("Ended by an operator", key, "RELEASED_BY_OPERATOR after ")
				.doesNotContain("Lost", "PT");
			assertThat(text("#held [data-state=ended]")).as("its lane stays for a minute")
				.contains(key, "RELEASED_BY_OPERATOR", THREAD, "token " + held.fencingToken(), "ended ");
			assertThat(text("#held li:first-child")).as("problems first").contains(key);
			page.press(Keys.ESCAPE);
			click("#by-age");
			assertThat(text("#held li:first-child")).as("the oldest first").contains(oldest.key());
		}
	}

	@Test
	void ofSeveralHoldersOfAKeyTheOneThatHasLostItIsShown() {
		try (Node node = new Node(SHOWN)) {
			LockRequest slot = LockRequest.of("slots").name("Importer.run").permits(3);
			LockRegistry registry = node.application.getBean(LockRegistry.class);
			List<HeldLock> slots = Stream.generate(() -> registry.acquireAsync(slot).join()).limit(3).toList();
			node.open("?lang=en");
			await(() -> page.elements("#held li").size() == 3);
			// The page learns in one answer that one was lost, and another one released.
			browser.script("reading = true");
			node.lose(slots.get(1), 1);
			slots.forEach(HeldLock::close);
			browser.script("reading = false; read()");
			await(() -> text("#held-count").equals("0"));
			assertThat(page.elements("#held li").stream().map(WebElement::getText)).singleElement()
				.asString()
				.contains("token " + slots.get(1).fencingToken(), "STORE_SILENT", "Importer.run \u00b7 3 permits")
				.doesNotContainIgnoringCase("read");
		}
	}

	@Test
	void theStoreIsAskedForAKeyThatNothingHereHolds() throws Exception {
		try (Node node = new Node(SHOWN)) {
			node.open("?lang=en");
			await(() -> text("#verdict").contains("This instance holds no lock"));
			assertThat(page.find("#ask").isEnabled()).isFalse();
			page.find("#search").sendKeys(" order-42 ", Keys.ENTER);
			await(() -> text("#dialog").contains("The store says that the lock is free."));
			assertThat(shown("#dialog")).isTrue();
			page.press(Keys.ESCAPE);
			try (HeldLock held = node.acquire("order-42")) {
				click("#ask");
				await(() -> text("#dialog").contains("The store names this holder"));
				assertThat(text("#dialog")).contains("Grant token" + held.fencingToken(), "Modeexclusive")
					.doesNotContain("PT");
			}
		}
		finally {
			// A free lock is not found.
			browser.forgetComplaints();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "spa", "xor", "plain" })
	void withSpringSecurityTheCsrfTokenOfTheCookieIsSent(String csrf) {
		try (Node node = new Node(Security.class, "test.csrf=" + csrf, OPEN)) {
			HeldLock held = node.acquire("order-42");
			signIn(node);
			click("#held .alarm");
			click("#dialog .alarm");
			await(() -> text("#dialog pre").contains("DISTLOCK_RELEASED"));
			assertThat(text("#dialog pre")).contains("\"principal\": \"operator\"", "order-42");
			await(() -> !held.isHeld());
		}
		finally {
			// Which form of the token the application wants is known by its refusal.
			browser.forgetComplaints();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "never", "always" })
	void withoutACookieForTheCsrfTokenTheCommandIsShown(String message) {
		try (Node node = new Node(Security.class, "spring.web.error.include-message=" + message, OPEN);
				HeldLock held = node.acquire("order 42")) {
			signIn(node);
			click("#held .alarm");
			click("#dialog .alarm");
			await(() -> text("#dialog .notice").startsWith("Refused (403)"));
			assertThat(text("#dialog pre"))
				.isEqualTo("curl -u USER -X DELETE '%s?key=order%%2042&registry=local&token=%d'"
					.formatted(node.address(), held.fencingToken()));
			assertThat(held.isHeld()).isTrue();
		}
		finally {
			browser.forgetComplaints();
		}
	}

	private static void signIn(Node node) {
		browser.driver().get(node.address() + "?lang=en");
		page.find("#username").sendKeys("operator");
		page.find("#password").sendKeys("secret", Keys.ENTER);
		await(() -> shown("#held .alarm"));
	}

	@Test
	void aLeaseThatCannotBeRenewedIsAtRiskAndThenLost() throws Exception {
		RedisServer redis = TestRedis.start();
		int port = redis.ports().get(0);
		try (Node node = new Node(SHOWN, "distlock.backend=redis", "spring.data.redis.port=" + port,
				"distlock.lease-time=20s")) {
			node.lose(node.acquire("order-42"), 4176);
			node.open("?lang=en");
			await(() -> text("#verdict").contains("4,176 locks were lost in the last 10 minutes"));
			redis.stop();
			await(() -> text("#verdict-text p:first-child").startsWith("1 lease at risk"));
			assertThat(text("#verdict-text p:last-child")).startsWith("4,176 locks were lost");
			// A page that never saw the full lease must not show a full bar.
			node.open("?lang=en");
			assertThat((Boolean) browser.script("""
					const width = (name) => document.querySelector(name).getBoundingClientRect().width;
					return width('#held [data-state=at_risk] .bar') <= 0.6 * width('.lease')""")).isTrue();
			await(() -> text("#verdict").contains("4,177 locks were lost"));
			assertThat(text("#recent [data-state=lost]")).contains("order-42", "its lease has expired");
		}
		finally {
			redis.stop();
		}
	}

	@Test
	void aNodeIsPausedWhileItHoldsALockAndAnotherNodesPageEndsItsGrant() throws Exception {
		String sell = "/stock/book/deduct?strategy=distributed-lock";
		RedisServer redis = TestRedis.start();
		int port = redis.ports().get(0);
		try (NodeProcess holder = new NodeProcess("page-holder", port, "--distlock.lease-time=5m", "--shop.work=15s");
				NodeProcess waiter = new NodeProcess("page-waiter", port, "--shop.wait-time=4m", "--" + OPEN)) {
			for (NodeProcess node : List.of(holder, waiter)) {
				assertThat(node.send("PUT", "/stock/book?quantity=100").statusCode()).isEqualTo(200);
			}
			open(holder.uri() + "/actuator/distlocks?lang=en");
			CompletableFuture<HttpResponse<String>> held = holder.sendAsync("POST", sell);
			await(() -> text("#held").contains("stock-book"));
			holder.pause();
			await(() -> text("#alert").startsWith("No answer from this instance: its process may be paused."));

			open(waiter.uri() + "/actuator/distlocks?lang=en");
			CompletableFuture<HttpResponse<String>> next = waiter.sendAsync("POST", sell);
			await(() -> text("#waiting").contains("stock-book"));
			click("#waiting .ask");
			await(() -> text("#dialog").contains("The store names this holder"));
			assertThat(text("#dialog li")).contains(host(), "Process" + holder.pid(), "of the lease left");
			assertThat(next).isNotDone();
			click("#dialog .alarm");
			assertThat(text("#dialog")).contains("End this grant?", "stock-book", "Process" + holder.pid());
			click("#dialog .alarm");
			await(() -> text("#dialog .notice").equals("Ended (204). The next waiter enters."));
			assertThat(next.join().statusCode()).isEqualTo(200);
			await(() -> text("#recent").contains("stock-book") && text("#tiles").contains("Waiting0"));

			holder.resume();
			assertThat(held.join().statusCode()).isEqualTo(500);
			open(holder.uri() + "/actuator/distlocks?lang=en");
			assertThat(text("#verdict")).contains("1 lock was ended by an operator in the last 10 minutes");
			assertThat(text("#recent [data-state=ended]")).contains("stock-book", "an operator has released it");
		}
		finally {
			browser.driver().get("about:blank");
			redis.stop();
			// Of requests to the node that was paused, and to audit events that are not
			// exposed.
			browser.forgetComplaints();
		}
	}

	@Test
	void anInstanceThatCannotBeReachedIsNamedInTheLanguageOfTheReader() {
		try (Node node = new Node(SHOWN)) {
			node.open("?lang=en");
			node.application.close();
			await(() -> text("#alert").startsWith("This instance cannot be reached. What you see is of 20"));
			assertThat(text("#verdict")).contains("Unknown");
			click("#language");
			assertThat(text("#alert")).startsWith("\u65e0\u6cd5\u8fde\u63a5\u6b64\u5b9e\u4f8b");
		}
		browser.forgetComplaints();
	}

	@Test
	void whatIsMaskedAppearsNowhere() throws Exception {
		try (Node node = new Node("management.endpoint.distlocks.show-values=never", OPEN);
				HeldLock held = node.acquire("order-42")) {
			node.acquireAsync("order-42");
			node.open("?lang=en");
			await(() -> text("#waiting").contains("******"));
			assertThat(text("#masked")).contains("show-values");
			assertThat(shown("#held .alarm")).isFalse();
			assertThat(shown("#ask")).isFalse();
			click("#held .key");
			assertThat(text("#dialog")).contains("******", held.name()).doesNotContain("The store");
			assertThat(
					String.valueOf(browser.script("return document.documentElement.outerHTML + JSON.stringify(known)")))
				.contains("******")
				.doesNotContain(held.key(), THREAD)
				// A short name may be a part of a random one.
				.doesNotContainPattern("\\b" + Pattern.quote(host()) + "\\b");
		}
	}

	@Test
	void ofTenThousandLocksThoseAreDrawnThatAreVisible() {
		try (Node node = new Node(SHOWN)) {
			IntStream.range(0, 10_000).forEach((n) -> node.acquireAsync("order-%05d".formatted(n)).join());
			node.open("?lang=en");
			await(() -> text("#held-count").equals("10,000"));
			assertThat(page.elements("#held li")).hasSizeBetween(5, 30);
			browser.script("document.getElementById('held-box').scrollTop = 1e9");
			await(() -> "10000".equals(page.attribute("#held li:last-child", "aria-posinset")));
			assertThat(page.elements("#held li")).hasSizeBetween(5, 30);
			page.elements("#search").get(0).sendKeys("ORDER-09999");
			await(() -> text("#held-count").equals("1 of 10,000") && text("#held").contains("order-09999"));
		}
	}

	@Test
	void aFrameShowsNothingAndAsksNothing(@TempDir Path folder) throws Exception {
		try (Node node = new Node(SHOWN, OPEN)) {
			Files.writeString(folder.resolve("index.html"),
					"<link rel=icon href='data:,'><iframe src='" + node.address() + "'>");
			try (FileServer other = FileServer.start(folder)) {
				browser.driver().get(other.address().toString());
				browser.driver().switchTo().frame(0);
				await(() -> text("#dead").contains("not shown in a frame"));
				assertThat(shown("#app")).isFalse();
				assertThat(browser.requests()).contains(node.address())
					.noneMatch((url) -> url.startsWith(node.address() + "?"));
			}
			finally {
				browser.driver().switchTo().defaultContent();
			}
		}
	}

	@Test
	void noValueIsReadAsHtml() {
		String key = "<img src=x onerror=\"document.title='run'\"><b>{n|m} {name}";
		try (Node node = new Node(SHOWN, OPEN)) {
			HeldLock held = node.acquire(key);
			node.acquireAsync(key);
			node.open("?lang=en");
			await(() -> text("#waiting .key").equals(key));
			click("#held .key");
			await(() -> text("#dialog").contains("The store names this holder"));
			click("#dialog .alarm");
			click("#dialog .alarm");
			await(() -> text("#recent").contains(key) && text("#dialog").contains("DISTLOCK_RELEASED"));
			assertThat(page.elements("#app img, #app b, #app iframe")).isEmpty();
			assertThat(browser.driver().getTitle()).doesNotContain("run");
		}
	}

	@ParameterizedTest
	@CsvSource({ "light, en, 1440", "dark, en, 390", "light, zh, 390", "dark, zh, 1440" })
	void axeFindsNoViolationAndNoTextIsCut(String scheme, String language, int width) {
		browser.media(Map.of("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce"));
		browser.size(width, 844);
		String longKey = "warehouse/berlin/shelf/17/" + "A".repeat(200);
		try (Node node = new Node(SHOWN, OPEN); HeldLock held = node.acquire(longKey)) {
			HeldLock lost = node.acquire("order-40");
			node.acquireAsync(held.key());
			IntStream.range(0, 101).forEach((n) -> node.endWait(longKey + n));
			node.open("?lang=" + language);
			await(() -> page.elements("#held .alarm").size() == 2 && page.elements("#hot li").size() == 100);
			page.elements("#held .alarm").get(1).click();
			click("#dialog .alarm");
			await(() -> !text("#dialog pre").isEmpty() && text("#recent [data-state=ended]").contains(lost.key()));
			assertThat(text("#app")).doesNotContain("PT");
			if (language.equals("zh")) {
				assertThat(text("#held") + text("#dialog dl")).doesNotContainPattern("(?i)operator|exclusive|\\w+ ago");
			}
			assertThat(page.violations()).as("dialog").isEmpty();
			page.press(Keys.ESCAPE);
			assertThat(page.violations()).isEmpty();
			assertThat(browser.script("return document.documentElement.scrollWidth")).isEqualTo((long) width);
			assertThat((List<?>) browser.script("""
					return [...document.querySelectorAll('.left, .facts, .holder, .name, .hot p, #verdict-text')]
					  .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"""))
				.isEmpty();
		}
	}

	private static void open(String address) {
		browser.driver().get(address);
		await(() -> "live".equals(page.attribute("html", "data-connection")));
	}

	private static String text(String selector) {
		return page.text(selector);
	}

	private static boolean shown(String selector) {
		return page.elements(selector).get(0).isDisplayed();
	}

	private static void click(String selector) {
		page.elements(selector).get(0).click();
	}

	private static String host() throws Exception {
		return InetAddress.getLocalHost().getHostName();
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().ignoreExceptions().atMost(Duration.ofMinutes(4)).until(condition);
	}

	/** A started application, whose locks are in its memory. */
	private static final class Node implements AutoCloseable {

		private final ConfigurableApplicationContext application;

		Node(String... properties) {
			this(Program.class, properties);
		}

		Node(Class<?> source, String... properties) {
			// Not with the configuration of the shop.
			this.application = new SpringApplicationBuilder(source)
				.properties("spring.config.name=none", "server.port=0", "server.address=127.0.0.1",
						"spring.application.name=shop", "distlock.shutdown-grace-period=100ms",
						"distlock.backend=local", "management.endpoints.web.exposure.include=distlocks,auditevents")
				.run(Arrays.stream(properties).map("--"::concat).toArray(String[]::new));
		}

		String address() {
			return "http://127.0.0.1:" + this.application.getEnvironment().getProperty("local.server.port")
					+ "/actuator/distlocks";
		}

		void open(String query) {
			LocksPageTests.open(address() + query);
		}

		HeldLock acquire(String key) {
			// Selenium renames the thread of the test.
			return CompletableFuture
				.supplyAsync(() -> this.application.getBean(LockRegistry.class).acquire(request(key)),
						(task) -> new Thread(task, THREAD).start())
				.join();
		}

		/** What the application learns if locks are lost. */
		void lose(HeldLock lock, int times) {
			LockListener.Lost event = new LockListener.Lost(
					this.application.getBean(BackendLockRegistry.class).description().name(), lock.name(), lock.key(),
					lock.fencingToken(), Duration.ofMillis(35_560), "", LossCause.STORE_SILENT, false);
			IntStream.range(0, times).forEach((n) -> this.application.getBean(RecentLockEvents.class).onLost(event));
		}

		/** What it learns if the wait of a caller ends. */
		void endWait(String key) {
			this.application.getBean(HotKeys.class)
				.onWaitingEnded(new LockListener.Waiting("local", "OrderService.ship", key, Duration.ofMillis(35_560)));
		}

		CompletableFuture<HeldLock> acquireAsync(String key) {
			return this.application.getBean(LockRegistry.class).acquireAsync(request(key));
		}

		private static LockRequest request(String key) {
			return LockRequest.of(key).name("OrderService.ship").waitTime(Duration.ofMinutes(4));
		}

		@Override
		public void close() {
			browser.driver().get("about:blank");
			this.application.close();
		}

	}

	/** The application. */
	@SpringBootConfiguration
	// The listeners of the second one need Spring Security.
	@EnableAutoConfiguration(exclude = { DataSourceAutoConfiguration.class, AuditAutoConfiguration.class })
	static class Program {

		@Bean
		AuditEventRepository auditEventRepository() {
			return new InMemoryAuditEventRepository();
		}

		@Bean
		AuditListener auditListener(AuditEventRepository repository) {
			return new AuditListener(repository);
		}

	}

	/** The application with users who sign in by a form. */
	@Import(Program.class)
	@EnableWebSecurity
	static class Security {

		@Bean
		SecurityFilterChain securityFilterChain(HttpSecurity http, @Value("${test.csrf:}") String csrf) {
			CsrfTokenRepository cookie = CookieCsrfTokenRepository.withHttpOnlyFalse();
			switch (csrf) {
				case "spa" -> http.csrf(CsrfConfigurer::spa);
				case "xor" -> http.csrf((configurer) -> configurer.csrfTokenRepository(cookie));
				case "plain" -> http.csrf((configurer) -> configurer.csrfTokenRepository(cookie)
					.csrfTokenRequestHandler(new CsrfTokenRequestAttributeHandler()));
				default -> http.csrf(Customizer.withDefaults());
			}
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.formLogin(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("operator").password("{noop}secret").roles("OPERATOR").build());
		}

	}

}
