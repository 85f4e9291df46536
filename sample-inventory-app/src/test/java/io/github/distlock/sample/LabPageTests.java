package io.github.distlock.sample;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import io.github.distlock.installed.Installed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of the lab in a real browser, over the real demonstration.
 * <p>
 * Pictures go to {@code target/lab-images}, or to the folder that
 * {@code -Ddistlock.lab.images} names.
 */
@Tag(Installed.TAG)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LabPageTests {

	private static final Log logger = LogFactory.getLog(LabPageTests.class);

	private static final Path IMAGES = Path.of(System.getProperty("distlock.lab.images", "target/lab-images"));

	private static final String SMALL = "&orders=100&stock=60&buyers=16";

	private static final JsonMapper json = JsonMapper.builder().build();

	private static @Nullable Browser started;

	private static LabProcess process;

	private static LabClient lab;

	private static LabPage page;

	@BeforeAll
	static void startTheLabAndTheBrowser() throws Exception {
		started = Browser.start("lab");
		process = LabProcess.start("page");
		lab = process.lab();
		page = new LabPage(browser(), lab.address());
	}

	@AfterAll
	static void stopTheLabAndTheBrowser() {
		if (started != null) {
			started.close();
		}
		if (process != null) {
			process.close();
		}
	}

	@AfterEach
	void nothingLeftThisMachineAndThePageHadNoErrors() {
		assertThat(browser().foreignRequests()).isEmpty();
		assertThat(browser().complaints()).isEmpty();
	}

	/** Nothing here depends on speed: a loaded machine only takes longer. */
	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(4));
	}

	private static Browser browser() {
		return Objects.requireNonNull(started);
	}

	@ParameterizedTest(name = "{1} with fault {2} {3}{0}")
	@CsvSource(textBlock = """
			'',       none,             none, OVERSELLS
			'',       synchronized,     none, OVERSELLS
			'',       distributed-lock, none, HOLDS
			'',       setnx,           crash, BLOCKS
			'',       set-px-unique,    slow, OVERSELLS
			?lang=zh, none,             none, OVERSELLS
			?lang=zh, synchronized,     none, OVERSELLS
			?lang=zh, distributed-lock, none, HOLDS
			?lang=zh, setnx,           crash, BLOCKS
			?lang=zh, set-px-unique,    slow, OVERSELLS
			?lang=zh, distributed-lock, slow, HOLDS""")
	@Order(1)
	void thePageShowsWhatTheDatabaseAndTheRecordsSay(String query, String strategy, String fault, String verdict)
			throws Exception {
		String run = page.start(query, "#strategies=" + strategy + "&fault=" + fault + SMALL);
		Map<String, String> row = page.row(run, strategy);
		assertThat(row).containsEntry("verdict", verdict).containsEntry("expected", "true");
		assertThat(page.text("#verdict-why")).isNotBlank();
		JsonNode database = json.readTree(process.node().get("/stock/ticket").body());
		long sold = database.path("sold").asLong();
		assertThat(row).containsEntry("sold", String.valueOf(sold))
			.containsEntry("stockLeft", String.valueOf(database.path("quantity").asLong()))
			.containsEntry("duplicates", String.valueOf(sold - database.path("serials").asLong()))
			.containsEntry("oversold", String.valueOf(Math.max(0, sold - 60)));
		Set<String> red = RecordedOverlaps.of(record(run));
		browser().screenshot(IMAGES.resolve("%s-%s%s.png".formatted(strategy, fault, query.isEmpty() ? "" : "-zh")));
		assertThat(page.redStays()).isEqualTo(red);
		assertThat(row).containsEntry("overlaps", String.valueOf(red.size()));
		page.showAll();
		assertThat(page.pixels("--red") > 0).as("red bars are drawn").isEqualTo(!red.isEmpty());
		assertThat(red.isEmpty()).isEqualTo(!verdict.equals("OVERSELLS"));
		assertThat(page.state("gaps")).isEqualTo("0");
	}

	private static JsonNode record(String run) throws IOException, InterruptedException {
		return json.readTree(lab.get("/lab/runs/" + run).body());
	}

	@Test
	@Order(2)
	void aLinkFillsTheFormAndStartsNothing() throws Exception {
		JsonNode before = record("latest").path("events").path(0);
		page.open("", "#strategies=setnx,redis&fault=slow&orders=200");
		assertThat(page.elements("input[name=strategies]:checked").stream().map((box) -> box.getDomProperty("value")))
			.containsExactlyInAnyOrder("setnx", "redis");
		assertThat(page.find("input[name=fault]:checked").getDomProperty("value")).isEqualTo("slow");
		assertThat(page.find("#orders").getDomProperty("value")).isEqualTo("200");
		page.awaitFrame();
		assertThat(record("latest").path("events").path(0)).isEqualTo(before);
		page.find("input[name=strategies][value=redlock]").sendKeys(Keys.SPACE);
		assertThat(browser().driver().getCurrentUrl()).contains("strategies=setnx,redis,redlock&fault=slow")
			.contains("orders=200");
	}

	@ParameterizedTest
	@CsvSource({ "en, Locks of inventory", "zh, inventory \u7684\u9501" })
	@Order(2)
	void eachNodeHasALinkToThePageOfItsLocks(String language, String title) {
		page.open("?lang=" + language, "");
		List<String> links = page.elements("#lock-pages a")
			.stream()
			.map((link) -> link.getDomProperty("href"))
			.toList();
		assertThat(page.text("#lock-pages")).endsWith(" inventory-1 inventory-2");
		assertThat(links).doesNotHaveDuplicates().allSatisfy((link) -> {
			browser().driver().get(link);
			await().until(() -> page.state("connection").equals("live"));
			assertThat(page.text("#title")).isEqualTo(title);
		});
	}

	@Test
	@Order(2)
	void aPageToWhichTheUserReturnsIsLiveAgain() throws Exception {
		page.open("", "");
		browser().driver().get("about:blank");
		browser().driver().navigate().back();
		String run = lab
			.start("{\"strategies\":[\"none\"],\"fault\":\"none\",\"orders\":20,\"stock\":10,\"buyers\":4}");
		await().until(() -> page.state("run").equals(run) && page.state("runState").equals("finished"));
	}

	@Test
	@Order(3)
	void theKeyboardIsEnough() {
		page.open("", "#strategies=none&fault=none&orders=60&stock=40&buyers=16");
		page.press(Keys.TAB);
		assertThat(page.focused()).isEqualTo("skip");
		Set<String> seen = new LinkedHashSet<>();
		for (String at = page.focused(); seen.add(at) && !at.equals("run"); at = page.focused()) {
			page.press(Keys.TAB);
		}
		assertThat(page.focused()).as("reached by Tab: %s", seen).isEqualTo("run");
		String before = page.state("run");
		page.press(Keys.ENTER);
		await().until(() -> !page.state("run").equals(before));
		page.awaitEnd();
		List<String> behind = new ArrayList<>();
		for (int i = 0; i < 40 && !page.focused().equals("lanes"); i++) {
			page.press(Keys.TAB);
			behind.add(page.focused());
		}
		assertThat(page.focused()).as("reached by Tab: %s", behind).isEqualTo("lanes");
		page.press(Keys.HOME);
		String first = page.attribute("#inspector", "data-order");
		page.press(Keys.ARROW_RIGHT);
		assertThat(page.attribute("#inspector", "data-order")).isNotEqualTo(first).isNotEqualTo("null");
		page.press("n");
		assertThat(page.attribute("#inspector", "data-kind")).isEqualTo("red");
		Set<String> rest = new LinkedHashSet<>();
		for (int i = 0; i < 200 && !page.focused().equals("body"); i++) {
			page.press(Keys.TAB);
			rest.add(page.focused());
		}
		assertThat(rest).contains("download", "open").as("the focus is trapped nowhere").contains("body");
	}

	@Test
	@Order(4)
	void everyControlHasAName() {
		page.open("?lang=zh", "");
		for (WebElement control : page.elements("button, a[href], input, summary, [role=application], [role=region]")) {
			if (!control.isDisplayed()) {
				continue;
			}
			assertThat(control.getAccessibleName()).as(control.getDomProperty("outerHTML")).isNotBlank();
		}
		assertThat(page.elements(".chip")).isNotEmpty()
			.allSatisfy((chip) -> assertThat(chip.getDomProperty("title")).isNotBlank());
		assertThat(page.attribute("html", "lang")).startsWith("zh");
		assertThat(page.text("h1")).matches(".*\\p{IsHan}.*");
		// The code of the tour is Java, where such names are calls.
		browser().script("document.querySelectorAll('pre').forEach((code) => code.remove())");
		assertThat(page.text("body"))
			.doesNotContainPattern("\\b(form|lanes|tour|verdict|charts|stay|figure)\\.[a-zA-Z]+\\b");
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "''", "?lang=zh" })
	@Order(4)
	void axeFindsNoViolation(String query) {
		page.start(query, "#strategies=none,distributed-lock&fault=slow&orders=60&stock=40&buyers=8");
		page.elements("details").forEach((each) -> browser().script("arguments[0].open = true", each));
		assertThat(page.violations()).isEmpty();
	}

	@Test
	@Order(4)
	void theLockHasALaneWhileOrdersAreInProgress() throws Exception {
		// The lease of a short hold hardly falls: a flat line has no pixel of its full
		// colour.
		begin("#strategies=distributed-lock&fault=slow&orders=4000&stock=4000&buyers=8");
		await().until(() -> page.pixels("--lease-line") > 0);
		assertThat(page.state("runState")).isEqualTo("running");
		stop();
		page.start("", "#strategies=none&fault=none" + SMALL);
		page.showAll();
		assertThat(page.pixels("--lease-line")).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "pause", "crash" })
	@Order(4)
	void aClickStrikesANodeInALiveRun(String fault) throws Exception {
		String run = begin("#strategies=distributed-lock&fault=none&orders=3000&stock=2000&buyers=8");
		String button = "#strike button[data-node=inventory-2][data-fault=" + fault + "]";
		await().until(() -> page.find("#strike").isDisplayed());
		page.find(button).click();
		await().until(() -> !page.find("#strike").isDisplayed());
		assertThat(page.find("input[name=fault]:checked").getDomProperty("value")).isEqualTo(fault);
		assertThat(page.text("#fault-hint")).contains("inventory-2");
		assertThat(browser().driver().getCurrentUrl()).contains("fault=" + fault);
		if (fault.equals("pause")) {
			await().until(() -> liveWindow() > 2_000_000);
		}
		page.awaitEnd();
		Map<String, String> row = page.row(run, "distributed-lock");
		assertThat(row).containsEntry("fault", fault)
			.containsEntry("verdict", "HOLDS")
			.containsEntry("expected", "true");
		assertThat(record(run).path("events")).filteredOn((event) -> event.path("type").asString().equals("fault"))
			.allMatch((event) -> event.path("node").asString().equals("inventory-2")
					&& event.path("fault").asString().equals(fault))
			.isNotEmpty();
	}

	/** How much time the lanes of a live run show, in microseconds. */
	private static long liveWindow() {
		assertThat(page.state("runState")).isEqualTo("running");
		return (Long) Objects.requireNonNull(browser().driver().executeAsyncScript("""
				const done = arguments[0];
				import('./js/view.js').then(({ lanes }) => done(Math.round(lanes.to - lanes.from)));"""));
	}

	/** Press Run, and wait until orders are in progress. Returns the name of the run. */
	private static String begin(String settings) {
		page.open("", settings);
		String before = page.state("run");
		page.find("#run").click();
		await().until(() -> !page.state("run").equals(before));
		return page.state("run");
	}

	private static void stop() throws Exception {
		assertThat(lab.send("DELETE", "/lab/runs/current", "").statusCode()).isEqualTo(204);
		await().until(() -> !page.state("runState").equals("running"));
	}

	@Test
	@Order(5)
	void nothingScrollsSideways() throws Exception {
		try {
			for (String query : List.of("", "?lang=zh")) {
				page.open(query, "");
				for (int width : List.of(360, 768, 1280, 1440, 1920, 3840)) {
					browser().size(width, Math.max(740, width * 9 / 16));
					page.awaitFrame();
					assertThat(page.tooWide()).as("%d px %s", width, query).isEmpty();
					browser()
						.screenshot(IMAGES.resolve("width-%d%s.png".formatted(width, query.isEmpty() ? "" : "-zh")));
				}
			}
		}
		finally {
			browser().size(1280, 900);
		}
	}

	@Test
	@Order(5)
	void fourChartsStandInOneRowOrInTwo() {
		page.open("", "");
		Map<Integer, Object> rows = new TreeMap<>();
		for (int width : List.of(1280, 1440, 1600)) {
			browser().size(width, 900);
			page.awaitFrame();
			rows.put(width, Objects.requireNonNull(browser()
				.script("""
						const tops = [...document.querySelectorAll('.chart')].map((chart) => chart.getBoundingClientRect().top);
						return new Set(tops).size""")));
		}
		browser().size(1280, 900);
		assertThat(rows).isEqualTo(Map.of(1280, 2L, 1440, 1L, 1600, 1L));
	}

	@Test
	@Order(6)
	void aRecordCanBeDownloadedAndOpenedAgain() throws Exception {
		String run = page.start("", "#strategies=synchronized,distributed-lock&fault=none" + SMALL);
		String link = String.valueOf(page.find("#download").getDomProperty("href"));
		assertThat(link).endsWith("/lab/runs/" + run);
		String overlaps = page.row(run, "synchronized").get("overlaps");
		Path file = Files.writeString(Files.createTempFile("lab-record", ".json"),
				lab.get(URI.create(link).getPath()).body());
		// Another run takes its place on the server.
		page.start("", "#strategies=none&fault=none&orders=20&stock=10&buyers=4");
		page.find("#open").sendKeys(file.toAbsolutePath().toString());
		await().until(() -> page.state("shown").equals("record"));
		await().until(() -> page.rows(run) == 2);
		assertThat(page.row(run, "synchronized").get("overlaps")).isEqualTo(overlaps);
		assertThat(page.row(run, "distributed-lock")).containsEntry("overlaps", "0");
		Path bad = Files.writeString(Files.createTempFile("lab-record", ".json"), "{\"format\":\"other\"}");
		page.find("#open").sendKeys(bad.toAbsolutePath().toString());
		await().until(() -> page.text("#record-message").contains(bad.getFileName().toString()));
	}

	@Test
	@Order(7)
	void aSecondRunIsRefusedAndAClosedPageHarmsNothing() throws Exception {
		page.open("", "#strategies=distributed-lock&fault=none&orders=5000&stock=5000&buyers=4");
		String before = page.state("run");
		page.find("#run").click();
		await().until(() -> !page.state("run").equals(before));
		String run = page.state("run");
		browser().driver().switchTo().newWindow(WindowType.TAB);
		browser().size(1280, 900);
		page.open("", "#strategies=none&fault=none" + SMALL);
		page.find("#run").click();
		await().until(() -> !page.text("#message").isBlank());
		assertThat(page.text("#message")).containsIgnoringCase("run");
		browser().driver().get("about:blank");
		browser().driver().close();
		browser().driver().switchTo().window(browser().driver().getWindowHandles().iterator().next());
		browser().driver().get("about:blank");
		int events = record(run).path("events").size();
		await().until(() -> record(run).path("events").size() > events + 5);
		assertThat(lab.send("DELETE", "/lab/runs/current", "").statusCode()).isEqualTo(204);
		await().until(() -> {
			JsonNode all = record(run).path("events");
			return all.path(all.size() - 1).path("outcome").asString("").equals("stopped");
		});
		// The second tab's refusal is the only complaint.
		assertThat(browser().complaints()).hasSize(1).allMatch((line) -> line.contains("409"));
		browser().forgetComplaints();
	}

	@Test
	@Order(8)
	@EnabledIfSystemProperty(named = "distlock.lab.full", matches = "true",
			disabledReason = "Set -Ddistlock.lab.full=true")
	void eightHundredOrdersAreDrawnSmoothly() {
		page.open("", "#strategies=none,distributed-lock&fault=none&orders=800&stock=500&buyers=32");
		browser().script("""
				window.frames800 = { count: 0, since: performance.now() };
				const step = () => { window.frames800.count++; requestAnimationFrame(step); };
				requestAnimationFrame(step);""");
		page.run();
		logger.info("MEASURE frames per second %s, longest task %s ms".formatted(
				browser().script("return Math.round(frames800.count * 1000 / (performance.now() - frames800.since))"),
				page.state("longestTask")));
		assertThat(page.state("gaps")).isEqualTo("0");
	}

	@Test
	@Order(8)
	@EnabledIfSystemProperty(named = "distlock.lab.full", matches = "true",
			disabledReason = "Set -Ddistlock.lab.full=true")
	void twoThousandOrdersWithFiveStrategiesKeepThePageResponsive() {
		page.open("", "#strategies=none,synchronized,for-update,redis,distributed-lock&fault=none"
				+ "&orders=2000&stock=1500&buyers=32");
		page.run();
		Object memory = browser().script("return Math.round(performance.memory.usedJSHeapSize / 1048576)");
		logger.info("MEASURE longest task %s ms, heap %s MB, last event %s".formatted(page.state("longestTask"), memory,
				page.state("lastEvent")));
		assertThat(page.state("gaps")).isEqualTo("0");
	}

	@Test
	@Order(9)
	@EnabledIfSystemProperty(named = "distlock.lab.images", matches = ".+",
			disabledReason = "Set -Ddistlock.lab.images=FOLDER")
	void picturesForTheDocumentation() throws Exception {
		browser().size(1280, 880);
		for (String query : List.of("", "?lang=zh")) {
			String run = page.start(query, "#strategies=none,synchronized,distributed-lock&fault=none");
			page.show(run, "none");
			browser().script("document.querySelector('#story').style.display = 'none'; scrollTo(0, 0)");
			page.awaitFrame();
			browser().screenshot(IMAGES.resolve(query.isEmpty() ? "lab.png" : "lab.zh-CN.png"));
		}
		browser().media(Map.of("prefers-reduced-motion", "reduce"));
		for (String query : List.of("", "?lang=zh")) {
			// Two of them stand side by side in the README.
			pictures(query, 428, Map.of("no-lock", "without-lock", "with-lock", "with-lock"));
			pictures(query, 720, Map.of("hand-made", "hand-made", "distributed-lock", "distributed-lock"));
		}
		browser().media(Map.of());
	}

	/** Write pictures of scenes of the story, all of one height, by their names. */
	private static void pictures(String query, int width, Map<String, String> names) throws IOException {
		browser().size(width, 900);
		page.open(query, "");
		browser().script("""
				const rules = document.styleSheets[0];
				rules.insertRule('.story-tools, .story-count { display: none !important }');
				const scenes = [...document.querySelectorAll('.story-dot')].map((dot) => dot.dataset.scene);
				rules.insertRule(`.story-sizers > div:not(${arguments[0]
				  .map((scene) => `:nth-child(${scenes.indexOf(scene) + 1})`).join()}) { display: none }`);""",
				List.copyOf(names.keySet()));
		for (Map.Entry<String, String> name : names.entrySet()) {
			browser().script("document.querySelector(`#story-dots [data-scene='${arguments[0]}']`).click()",
					name.getKey());
			await().until(() -> name.getKey().equals(page.attribute("#story", "data-scene")));
			page.awaitFrame();
			Files.write(IMAGES.resolve(name.getValue() + (query.isEmpty() ? ".png" : ".zh-CN.png")),
					page.find("#story").getScreenshotAs(OutputType.BYTES));
		}
	}

	@Test
	@Order(10)
	void aSignalEndsEverythingWhileThePageIsOpen() throws Exception {
		begin("#strategies=distributed-lock&fault=none&orders=5000&stock=5000&buyers=8");
		Collection<ProcessHandle> family = process.demo().family();
		assertThat(family).isNotEmpty();
		int before = process.demo().output().length();
		process.demo().terminate();
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> !process.demo().isAlive() && family.stream().noneMatch(ProcessHandle::isAlive));
		assertThat(process.demo().output().substring(before)).doesNotContain("Exception");
		await().until(() -> page.state("connection").equals("reconnecting"));
		// Otherwise the page tries again, and complains again.
		page.close();
		browser().forgetComplaints();
	}

}
