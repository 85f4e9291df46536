package io.github.distlock.sample;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the tests of the page rely on: the browser reports foreign requests and errors.
 */
@Tag(Installed.TAG)
class BrowserTests {

	private static final String PAGE = """
			<!doctype html><meta charset="utf-8"><title>t</title>
			<img src="http://elsewhere.example/x.png" alt=""><script src="/missing.js"></script>
			<script>console.error('broken'); document.title = String(innerWidth)</script>""";

	@Test
	void requestsToOtherHostsAndErrorsOfThePageAreSeen() throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", BrowserTests::answer);
		server.start();
		try (Browser browser = Browser.start("self-test")) {
			browser.size(360, 640);
			browser.driver().get("http://localhost:" + server.getAddress().getPort() + "/");
			// On a busy machine the driver may answer before the last script has run.
			await().untilAsserted(() -> assertThat(browser.driver().getTitle()).isEqualTo("360"));
			assertThat(browser.foreignRequests()).containsExactly("http://elsewhere.example/x.png");
			assertThat(browser.complaints()).anyMatch((line) -> line.contains("broken"))
				.anyMatch((line) -> line.contains("missing.js"))
				.anyMatch((line) -> line.contains("ERR_NAME_NOT_RESOLVED"));
		}
		finally {
			server.stop(0);
		}
	}

	private static void answer(HttpExchange exchange) throws IOException {
		boolean page = exchange.getRequestURI().getPath().equals("/");
		byte[] body = (page ? PAGE : "").getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "text/html");
		exchange.sendResponseHeaders(page ? 200 : 404, (body.length > 0) ? body.length : -1);
		try (OutputStream out = exchange.getResponseBody()) {
			out.write(body);
		}
	}

}
