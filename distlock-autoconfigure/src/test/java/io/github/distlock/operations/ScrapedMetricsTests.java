package io.github.distlock.operations;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.docs.MarkdownPage;
import io.github.distlock.installed.Installed;
import io.micrometer.observation.ObservationTextPublisher;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metrics of an application as Prometheus scrapes them. Every metric that an alert or
 * a panel names is one of them. The alerts are valid, complete, and tested with
 * Prometheus' own tool.
 */
class ScrapedMetricsTests {

	private static final Pattern LINE = Pattern.compile("^(distlock_[a-z_]+)", Pattern.MULTILINE);

	private static String scrape = "";

	@Test
	void eachMetricOfTheAlertsAndTheDashboardIsInAScrape() throws Exception {
		Set<String> scraped = new TreeSet<>();
		LINE.matcher(scrape).results().forEach((line) -> scraped.add(line.group(1)));
		assertThat(OperationsFiles.metrics()).hasSizeGreaterThan(10).isSubsetOf(scraped);
	}

	@Test
	void anAcquisitionAndASectionAreTimedOnce() throws Exception {
		assertThat(scrape.lines().filter((line) -> line.startsWith("distlock_")))
			.anyMatch((line) -> line.startsWith("distlock_acquire_seconds_count{"))
			.anyMatch((line) -> line.startsWith("distlock_hold_seconds_count{"))
			.noneMatch((line) -> line.startsWith("distlock_acquisition") || line.startsWith("distlock_section"));
	}

	@Tag(Installed.TAG)
	@Test
	void promtoolHasNoComplaintAboutAMetric() throws Exception {
		assertThat(answerOfPromtool(scrape, "check", "metrics").lines())
			.filteredOn((line) -> line.startsWith("distlock_"))
			.isEmpty();
	}

	/** A scrape after a wait, with observations of everything that is observed. */
	@BeforeAll
	static void readTheMetrics() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("distlock.backend=local", "distlock.observations.section=true",
					"spring.datasource.url=jdbc:h2:mem:scraped", "distlock.transaction.fence=true",
					"management.metrics.distribution.percentiles-histogram.distlock.acquire=true")
			.run()) {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest request = LockRequest.of("stock-42").name("stock");
			AtomicReference<CompletableFuture<HeldLock>> waiting = new AtomicReference<>();
			context.getBean(Stock.class).locked(() -> waiting.set(registry.acquireAsync(request)));
			waiting.get().join().close();
			// Handlers of spans still receive them.
			assertThat(String.join("", Application.observed)).contains("STOP - name='distlock.acquisition'",
					"STOP - name='distlock.section'");
			scrape = context.getBean(PrometheusMeterRegistry.class).scrape();
		}
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Stock.class)
	static class Application {

		static final List<String> observed = new CopyOnWriteArrayList<>();

		@Bean
		ObservationTextPublisher publisher() {
			return new ObservationTextPublisher(observed::add);
		}

	}

	static class Stock {

		@DistributedLock(key = "'stock-42'", name = "stock")
		public void locked(Runnable body) {
			body.run();
		}

	}

	private static final String PAGE = "runbook.md#";

	@Tag(Installed.TAG)
	@Test
	void promtoolAcceptsTheRules() throws Exception {
		promtool("check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml");
	}

	@Tag(Installed.TAG)
	@Test
	void promtoolPassesTheTestsOfTheRules() throws Exception {
		promtool("test", "rules", "alerts_test.yaml");
	}

	@ParameterizedTest
	@MethodSource("io.github.distlock.operations.OperationsFiles#rules")
	void eachAlertSaysWhatHappenedHowSevereItIsAndWhereToReadOn(JsonNode rule) {
		assertThat(rule.path("alert").asString()).isNotBlank();
		assertThat(rule.path("expr").asString()).isNotBlank();
		assertThat(rule.path("for").asString()).isNotBlank();
		assertThat(rule.path("labels").path("severity").asString()).isIn("critical", "warning");
		JsonNode annotations = rule.path("annotations");
		assertThat(annotations.path("summary").asString()).isNotBlank();
		assertThat(annotations.path("description").asString()).isNotBlank();
		String url = annotations.path("runbook_url").asString();
		assertThat(url).startsWith(PAGE);
		assertThat(MarkdownPage.of("docs/operations/runbook.md").anchors()).contains(url.substring(PAGE.length()));
	}

	@Test
	void eachAlertHasATestInWhichItFiresAndOneInWhichItDoesNot() {
		List<String> fires = new ArrayList<>();
		List<String> doesNot = new ArrayList<>();
		for (JsonNode test : OperationsFiles.yaml("alerts_test.yaml").path("tests")) {
			for (JsonNode each : test.path("alert_rule_test")) {
				(each.has("exp_alerts") ? fires : doesNot).add(each.path("alertname").asString());
			}
		}
		assertThat(OperationsFiles.rules()).isNotEmpty().allSatisfy((rule) -> {
			assertThat(fires).contains(rule.path("alert").asString());
			assertThat(doesNot).contains(rule.path("alert").asString());
		});
	}

	private static void promtool(String... arguments) throws Exception {
		Process process = start(arguments);
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
	}

	/** Pass a text to the tool and return what it answers, whatever its result is. */
	private static String answerOfPromtool(String input, String... arguments) throws Exception {
		Process process = start(arguments);
		try (OutputStream in = process.getOutputStream()) {
			in.write(input.getBytes(StandardCharsets.UTF_8));
		}
		return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
	}

	private static Process start(String... arguments) throws IOException {
		String program = Installed.PROMTOOL.assume().toString();
		List<String> command = new ArrayList<>(List.of(program));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).directory(OperationsFiles.FOLDER.toFile()).redirectErrorStream(true).start();
	}

}
