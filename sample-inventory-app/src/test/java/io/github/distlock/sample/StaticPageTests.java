package io.github.distlock.sample;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.distlock.installed.Installed;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page as files: what one command has written, in a real browser, over a server that
 * knows nothing but files.
 */
@Tag(Installed.TAG)
@Timeout(600)
class StaticPageTests {

	private static final Map<String, String> TYPES = Map.of("html", "text/html", "js", "text/javascript", "css",
			"text/css", "json", "application/json");

	private static Path folder;

	private static Browser browser;

	private static HttpServer files;

	private static LabPage page;

	@BeforeAll
	static void writeThePageAndServeIt(@TempDir Path written) throws Exception {
		folder = written;
		browser = Browser.start("static");
		try (DemoProcess demo = new DemoProcess("static", "--write-page=" + folder,
				"--strategies=none,set-px-unique,distributed-lock", "--fault=none,pause")) {
			assertThat(demo.awaitStatus()).as(demo.output()).isZero();
		}
		files = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		files.createContext("/", StaticPageTests::answer);
		files.start();
		page = new LabPage(browser, java.net.URI.create("http://localhost:" + files.getAddress().getPort() + "/"));
	}

	@AfterAll
	static void stop() {
		if (files != null) {
			files.stop(0);
		}
		if (browser != null) {
			browser.close();
		}
	}

	@Test
	void theStoryAndTheRecordsNeedNoServer() {
		browser.driver().get(address(""));
		await(() -> page.text("#story-text").contains("7")
				&& "OVERSELLS".equals(page.attribute("#verdict", "data-verdict")));
		assertThat(page.find("#form").isDisplayed()).isFalse();
		assertThat(page.elements("#trials-body tr[data-run]")).hasSize(6);
		page.press(Keys.ARROW_RIGHT);
		await(() -> page.attribute("#story", "data-scene").equals("no-lock"));
		page.find("#story-back").click();
		await(() -> page.attribute("#story", "data-scene").equals("two-buyers"));
		page.show("set-px-unique-pause", "set-px-unique");
		assertThat(page.attribute("#verdict", "data-verdict")).isEqualTo("OVERSELLS");
		assertThat(browser.complaints()).isEmpty();
		assertThat(browser.foreignRequests()).isEmpty();
		assertThat(browser.requests()).noneMatch((url) -> url.contains("events"));
	}

	@Test
	void aLinkOpensTheViewThatWasCopied() {
		browser.driver().get(address("?record=distributed-lock-pause&from=100000&to=900000"));
		await(() -> page.text("#verdict-name").contains("pause"));
		assertThat(page.attribute("#verdict", "data-verdict")).isEqualTo("HOLDS");
		String copied = String.valueOf(browser.driver().executeAsyncScript("""
				const done = arguments[0];
				import('./js/catalogue.js').then((catalogue) => done(catalogue.addressOfView()));"""));
		assertThat(copied).contains("record=distributed-lock-pause", "from=100000", "to=900000");
		assertThat(browser.complaints()).isEmpty();
	}

	private static String address(String query) {
		return "http://localhost:%d/%s".formatted(files.getAddress().getPort(), query);
	}

	private static void await(java.util.concurrent.Callable<Boolean> condition) {
		Awaitility.await().ignoreExceptions().atMost(Duration.ofMinutes(1)).until(condition);
	}

	private static void answer(HttpExchange exchange) throws IOException {
		String path = exchange.getRequestURI().getPath().substring(1);
		Path file = folder.resolve(path.isEmpty() ? "index.html" : path).normalize();
		boolean known = file.startsWith(folder) && Files.isRegularFile(file);
		byte[] body = known ? Files.readAllBytes(file) : new byte[0];
		String name = file.toString();
		exchange.getResponseHeaders()
			.set("Content-Type", TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain"));
		exchange.sendResponseHeaders(known ? 200 : 404, (body.length > 0) ? body.length : -1);
		try (OutputStream out = exchange.getResponseBody()) {
			out.write(body);
		}
	}

}
