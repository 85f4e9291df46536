package io.github.distlock.lab.web;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Which callers are served, over real HTTP.
 */
@Timeout(300)
class CallerCheckTests {

	private static ConfigurableApplicationContext service;

	private static int port;

	@BeforeAll
	static void start() {
		service = new SpringApplicationBuilder(Service.class).run("--spring.config.location=optional:file:none/",
				"--server.address=127.0.0.1", "--server.port=0",
				"--sample.allowed-hosts=Lab.example,192.0.2.7,[2001:db8::1]");
		port = service.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	@AfterAll
	static void stop() {
		service.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost:8000", "LOCALHOST", "127.0.0.1:1", "[::1]:8000", "lab.example", "LAB.example:9",
			"192.0.2.7:80", "[2001:db8::1]:8000" })
	void aProgramIsServedUnderAHostOfTheService(String host) throws Exception {
		assertThat(send("POST", "/orders", "Host: " + host)).startsWith("HTTP/1.1 200").endsWith("served");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "evil.example", "evil.example:8000", "localhost.evil.example:8000", "127.0.0.1.nip.example",
					"127.0.0.2", "0.0.0.0:8000", "[::2]:8000", "192.168.0.4:8000", "localhost.", "lab.example.org" })
	void aHostThatIsNotOfTheServiceIsRefusedAndNamed(String host) throws Exception {
		String answer = send("GET", "/", "Host: " + host);
		assertThat(answer).startsWith("HTTP/1.1 403").contains("application/problem+json");
		assertThat(problem(answer).path("status").asInt()).isEqualTo(403);
		assertThat(problem(answer).path("detail").asString()).startsWith("Host '%s' is not allowed".formatted(host))
			.contains("web page of another site")
			.contains("sample.allowed-hosts");
	}

	@Test
	void aRequestWithoutAHostIsRefused() throws Exception {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).contains(" 403 ")
				.contains("Host '' is not allowed");
		}
	}

	@ParameterizedTest
	@CsvSource({ "localhost:8000, http://localhost:8000", "localhost:8000, https://localhost:8000",
			"localhost:8000, http://127.0.0.1:8000", "[::1]:8000, http://[::1]:8000", "localhost, http://localhost",
			"localhost:80, http://localhost", "localhost, http://localhost:80",
			"lab.example:8000, http://lab.example:8000" })
	void aPageOfTheServiceIsServed(String host, String origin) throws Exception {
		assertThat(send("POST", "/orders", "Host: " + host, "Origin: " + origin)).startsWith("HTTP/1.1 200");
	}

	@ParameterizedTest
	@ValueSource(strings = { "null", "http://localhost:3000", "http://localhost", "https://localhost",
			"http://evil.example:8000", "http://localhost:8000.evil.example", "http://evil.example@localhost:8000",
			"http://localhost:8000/", "ftp://localhost:8000", "localhost:8000", "file://", "http://", "" })
	void aPageOfAnotherSiteIsRefusedAndNamed(String origin) throws Exception {
		String answer = send("POST", "/orders", "Host: localhost:8000", "Origin: " + origin);
		assertThat(answer).startsWith("HTTP/1.1 403").contains("application/problem+json");
		assertThat(problem(answer).path("detail").asString()).startsWith("Origin '%s' is not allowed".formatted(origin))
			.contains("only a page of http://localhost:8000")
			.contains("sample.allowed-hosts");
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "PUT", "DELETE", "OPTIONS" })
	void everyMethodIsChecked(String method) throws Exception {
		assertThat(send(method, "/orders", "Host: localhost", "Origin: http://evil.example")).contains(" 403 ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/actuator", "/actuator/health" })
	void theActuatorIsServedUnderAnyName(String path) throws Exception {
		assertThat(send("GET", path, "Host: inventory-1:8080", "Origin: http://evil.example"))
			.startsWith("HTTP/1.1 200");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/actuator/../orders", "/actuator/..;/orders", "/actuator/%2e%2e/orders",
			"/actuator;/../orders", "/actuators", "/orders/..;/actuator/health", "//actuator/health" })
	void aPathThatOnlyLooksLikeTheActuatorIsChecked(String path) throws Exception {
		assertThat(send("POST", path, "Host: evil.example")).doesNotContain("served");
	}

	@Test
	void anAnswerQuotesAHostAsJson() throws Exception {
		String answer = send("GET", "/", "Host: localhost", "Origin: \"}<script>");
		assertThat(problem(answer).path("detail").asString()).startsWith("Origin '\"}<script>' is not allowed");
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://lab.example", "lab.example:8000", "*", "" })
	void anAllowedHostThatIsNoHostIsRefusedAtTheStart(String host) {
		assertThatIllegalArgumentException().isThrownBy(() -> new AllowedHosts(List.of(host)))
			.withMessageContaining("'%s' in sample.allowed-hosts is not a host", host)
			.withMessageContaining("without scheme and port");
	}

	@Test
	void thePageChecksItsCallers() throws Exception {
		Import imported = Class.forName("io.github.distlock.lab.page.LabApplication").getAnnotation(Import.class);
		assertThat(imported).isNotNull();
		assertThat(imported.value()).contains(CallerCheck.class);
	}

	private static String send(String method, String path, String... headers) throws Exception {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			String request = "%s %s HTTP/1.1\r\n%s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".formatted(method,
					path, String.join("\r\n", headers));
			socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	private static JsonNode problem(String answer) {
		return JsonMapper.builder().build().readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
	}

	/** Answers every request. */
	@SpringBootConfiguration
	@ImportAutoConfiguration({ TomcatServletWebServerAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
			HttpMessageConvertersAutoConfiguration.class, WebMvcAutoConfiguration.class })
	@Import(CallerCheck.class)
	@RestController
	static class Service {

		@RequestMapping(path = { "/", "/orders", "/actuator", "/actuator/health" })
		String serve() {
			return "served";
		}

	}

}
