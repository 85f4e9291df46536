package io.github.distlock.actuate;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which requests get the page, and what the file contains. A browser shows it in
 * {@code LocksPageTests} of the sample.
 */
class DistlocksPageTests {

	private static final String PATH = "/actuator/distlocks";

	/** Of Chrome, Firefox and Safari. */
	private static final List<String> BROWSERS = List.of(
			"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
			"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

	private static final String V2 = "application/vnd.spring-boot.actuator.v2+json";

	private static final String V3 = "application/vnd.spring-boot.actuator.v3+json";

	/** Accept headers that get JSON, and its media type. */
	private static final String[][] PROGRAMS = { { "", V3 }, { "*/*", V3 }, { V3, V3 }, { V2, V2 },
			{ "application/json", "application/json" }, { "application/*", V3 },
			{ "application/json, text/plain, */*", "application/json" },
			{ "application/json, text/html;q=0.9", "application/json" },
			{ "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", V3 },
			{ "text/html, image/gif, image/jpeg, */*; q=0.2", V3 } };

	@ParameterizedTest
	@EnumSource
	void aBrowserGetsThePageAndAProgramGetsTheJsonThatItGetsWithoutAPage(Web web) throws Exception {
		try (EndpointApplication with = web.start(EndpointApplication.OPEN);
				EndpointApplication without = web.start("distlock.endpoint.page=false",
						"management.endpoint.distlocks.access=unrestricted",
						"management.endpoint.distlocks.show-values=always")) {
			for (String accepted : BROWSERS) {
				assertPage(with.send("GET", PATH, "Accept", accepted), accepted);
			}
			for (String[] program : PROGRAMS) {
				String[] headers = program[0].isEmpty() ? new String[0] : new String[] { "Accept", program[0] };
				HttpResponse<String> json = with.send("GET", PATH, headers);
				assertThat(json.headers().map()).as(program[0])
					.containsEntry("Content-Type", List.of(program[1]))
					.containsOnlyKeys(without.send("GET", PATH, headers).headers().map().keySet());
				assertThat(withoutInstance(json)).as(program[0])
					.isEqualTo(withoutInstance(without.send("GET", PATH, headers)));
			}
			try (InputStream json = URI.create(with.url() + PATH).toURL().openStream()) {
				assertThat(json).asString(StandardCharsets.UTF_8).startsWith("{");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoints.web.base-path=/ops", "management.endpoints.web.base-path=/" })
	void thePageHasTheAddressOfTheEndpoint(String property) throws Exception {
		String path = property.endsWith("/") ? "/distlocks" : "/ops/distlocks";
		try (EndpointApplication application = EndpointApplication.start(property, "management.server.port=0")) {
			assertPage(application.send("GET", path, "Accept", BROWSERS.get(0)), path);
			assertThat(application.get(path).body()).startsWith("{");
		}
	}

	@ParameterizedTest
	@EnumSource
	void withoutThePageABrowserGetsTheJson(Web web) throws Exception {
		try (EndpointApplication application = web.start("distlock.endpoint.page=false")) {
			assertThat(application.send("GET", PATH, "Accept", "text/html").statusCode()).isEqualTo(406);
			assertThat(application.send("GET", PATH, "Accept", BROWSERS.get(0)).body()).startsWith("{");
		}
	}

	@Test
	void itNamesEachCauseOfALossAndEachMode() throws Exception {
		assertThat(page()).contains(Stream.concat(Arrays.stream(LossCause.values()), Arrays.stream(LockMode.values()))
			.map((constant) -> constant + ": ['")
			.toList());
	}

	@Test
	void itsPolicyAllowsItsOwnScriptAndStyleAndNoOther() throws Exception {
		String page = page();
		String policy = only(page, "http-equiv=\"Content-Security-Policy\"[^>]*content=\"([^\"]*)\"");
		assertThat(policy).contains("default-src 'none'")
			.contains("script-src '" + hash(only(page, "(?s)<script>(.*?)</script>")) + "'")
			.contains("style-src '" + hash(only(page, "(?s)<style>(.*?)</style>")) + "'")
			.doesNotContain("unsafe");
		assertThat(page).doesNotContain("innerHTML").doesNotContainPattern("(src|href)=\"(?!data:)");
	}

	private static String only(String page, String pattern) {
		List<String> found = Pattern.compile(pattern).matcher(page).results().map((match) -> match.group(1)).toList();
		assertThat(found).as(pattern).hasSize(1);
		return found.get(0);
	}

	private static String hash(String text) throws Exception {
		byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
		return "sha256-" + Base64.getEncoder().encodeToString(digest);
	}

	/** Two applications differ in the id of their instance. */
	private static String withoutInstance(HttpResponse<String> response) {
		assertThat(response.statusCode()).isEqualTo(200);
		return response.body().replaceFirst("\"id\":\"[^\"]+\"", "");
	}

	private static void assertPage(HttpResponse<String> response, String accepted) throws Exception {
		assertThat(response.statusCode()).as(accepted).isEqualTo(200);
		assertThat(response.headers().firstValue("Content-Type").orElse("").replace(" ", "")).as(accepted)
			.isEqualToIgnoringCase("text/html;charset=UTF-8");
		assertThat(response.body()).as(accepted).isEqualTo(page());
	}

	private static String page() throws Exception {
		return new ClassPathResource(DistlocksPage.FILE).getContentAsString(StandardCharsets.UTF_8);
	}

	enum Web {

		MVC, WEBFLUX;

		EndpointApplication start(String... properties) {
			return EndpointApplication.start(switch (this) {
				case MVC -> new SpringApplicationBuilder(EndpointApplication.Program.class);
				case WEBFLUX ->
					new SpringApplicationBuilder(EndpointApplication.Program.class).web(WebApplicationType.REACTIVE);
			}, properties);
		}

	}

}
