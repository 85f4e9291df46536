package io.github.distlock.sample;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.distlock.installed.Installed;
import io.github.distlock.lab.page.Publication;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The story of the page in a real browser. It needs the files of the page only.
 */
@Tag(Installed.TAG)
class StoryPageTests {

	private static final List<String> SCENES = List.of("two-buyers", "no-lock", "synchronized", "with-lock",
			"hand-made", "distributed-lock", "paused", "token");

	private static final String CHARTS = "webjars/chart.js/dist/chart.umd.js";

	private static Browser browser;

	private static FileServer files;

	private static LabPage page;

	@BeforeAll
	static void serveThePage(@TempDir Path folder) throws Exception {
		browser = Browser.start("story");
		copyThePage(folder);
		files = FileServer.start(folder);
		page = new LabPage(browser, files.address());
	}

	/** A page without a server, with a scene of its story as its only record. */
	private static void copyThePage(Path folder) throws IOException {
		Publication.copyFiles(folder);
		Files.createDirectories(folder.resolve(CHARTS).getParent());
		try (InputStream charts = Objects.requireNonNull(StoryPageTests.class
			.getResourceAsStream("/META-INF/resources/webjars/chart.js/4.5.1/dist/chart.umd.js"))) {
			Files.copy(charts, folder.resolve(CHARTS));
		}
		Files.createDirectories(folder.resolve("records"));
		Files.copy(folder.resolve("story/two-buyers.json"), folder.resolve("records/none-none.json"));
		Files.writeString(folder.resolve("records/index.json"), """
				[{"record":"none-none","strategy":"none","fault":"none",
				  "verdict":{"verdict":"OVERSELLS","expected":true,"why":"","figures":{}}}]""");
		Files.createDirectories(folder.resolve("lab"));
		Files.writeString(folder.resolve("lab/setup.json"), "{\"ready\":true}", StandardCharsets.UTF_8);
	}

	@AfterAll
	static void stop() {
		if (files != null) {
			files.close();
		}
		if (browser != null) {
			browser.close();
		}
	}

	@AfterEach
	void thePageHadNoErrors() {
		browser.media(Map.of());
		browser.size(1280, 900);
		assertThat(browser.complaints()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "1440, 900, en", "1440, 900, zh", "390, 844, en", "390, 844, zh" })
	void theNextButtonStandsAtOnePlaceInAllScenes(int width, int height, String language) {
		Map<String, Object> places = new LinkedHashMap<>();
		open(width, height, language);
		for (String scene : SCENES) {
			show(scene);
			places.put(scene, Objects.requireNonNull(browser.script("""
					const { right, top } = document.getElementById("story-next").getBoundingClientRect();
					return `${Math.round(right)}, ${Math.round(top + scrollY)}`""")));
		}
		assertThat(places.values()).as(places.toString()).containsOnly(places.get(SCENES.get(0)));
	}

	@ParameterizedTest
	@CsvSource({ "390, 844, en", "390, 844, zh", "1440, 900, en", "1440, 900, zh" })
	void noTextLiesOverAnotherOneOrOutsideThePicture(int width, int height, String language) {
		open(width, height, language);
		for (String scene : SCENES) {
			show(scene);
			assertThat((List<?>) browser
				.script("""
						const frame = document.querySelector('.picture').getBoundingClientRect();
						const texts = [...document.querySelectorAll('.picture text')];
						const place = (text) => text.getBoundingClientRect();
						const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
						const outside = texts.filter((text) => place(text).left < frame.left || place(text).right > frame.right
						  || place(text).top < frame.top || place(text).bottom > frame.bottom);
						const over = texts.filter((text) => texts.some((other) => other !== text && !apart(place(text), place(other))));
						return [...outside, ...over].map((text) => text.textContent)"""))
				.as(scene)
				.isEmpty();
		}
	}

	@Test
	void theFirstSceneReadsFromTopToBottom() {
		open(390, 844, "en");
		assertThat(page.text("#story-text")).isEqualTo("Both read 7, both write 6: ticket 7 is sold twice.");
		assertThat((List<?>) browser.script("""
				return [...document.querySelectorAll('.picture .bar')].map((bar) => bar.getBoundingClientRect())
				  .sort((a, b) => a.left - b.left).map((bar) => bar.top)""")).hasSize(2)
			.isSortedAccordingTo(
					(one, other) -> Double.compare(((Number) one).doubleValue(), ((Number) other).doubleValue()));
	}

	/** The three scenes of many orders have a mark for each order. */
	@Test
	void eachOrderIsAMark() {
		open(1440, 900, "en");
		for (String scene : List.of("no-lock", "synchronized", "with-lock")) {
			show(scene);
			Map<String, Integer> marks = new LinkedHashMap<>();
			for (String kind : List.of("once", "twice", "none")) {
				// The legend has one of each.
				marks.put(kind, page.elements(".picture .dot-" + kind).size() - 1);
			}
			assertThat(marks.values().stream().mapToInt(Integer::intValue).sum()).as(scene).isEqualTo(800);
			if (scene.equals("with-lock")) {
				assertThat(marks).isEqualTo(Map.of("once", 500, "twice", 0, "none", 300));
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "hand-made", "paused", "token" })
	void theLockHasHoldersAfterTheLeaseHasEnded(String scene) {
		open(1440, 900, "en");
		show(scene);
		assertThat((Long) browser
			.script("""
					const end = document.querySelector('.pole-red').getBoundingClientRect().right;
					return [...document.querySelectorAll('.picture .lease')].filter((lease) => lease.getBoundingClientRect().left > end).length"""))
			.isPositive();
	}

	@Test
	void theRenewalsAppearOneAfterTheOther() {
		browser.media(Map.of("prefers-reduced-motion", "no-preference"));
		open(1440, 900, "en");
		show("distributed-lock");
		List<Long> seen = new ArrayList<>();
		for (int millis : List.of(0, 1_000, 1_900, 10_000)) {
			seen.add((Long) browser.script("""
					document.getAnimations().forEach((each) => { each.pause(); each.currentTime = arguments[0]; });
					return [...document.querySelectorAll('.picture .tick')]
					  .filter((tick) => getComputedStyle(tick).opacity === '1').length""", millis));
		}
		long renewals = page.elements(".picture .tick").size();
		assertThat(seen).startsWith(0L).endsWith(renewals).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void nothingMovesIfTheUserWantsNoMotion() {
		browser.media(Map.of("prefers-reduced-motion", "reduce"));
		open(1440, 900, "en");
		show("distributed-lock");
		assertThat(browser.script("return document.getAnimations().length")).isEqualTo(0L);
		assertThat(page.elements(".picture .tick")).isNotEmpty()
			.allMatch((tick) -> tick.getCssValue("opacity").equals("1"));
	}

	@ParameterizedTest
	@CsvSource({ "light, en, 1440", "dark, en, 390", "light, zh, 390", "dark, zh, 1440" })
	void axeFindsNoViolationInAnyScene(String scheme, String language, int width) {
		browser.media(Map.of("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce"));
		open(width, 900, language);
		for (String scene : SCENES) {
			show(scene);
			assertThat(page.violations()).as(scene).isEmpty();
		}
	}

	@Test
	@EnabledIfSystemProperty(named = "distlock.lab.scenes", matches = ".+",
			disabledReason = "Set -Ddistlock.lab.scenes=FOLDER")
	void picturesOfAllScenes() throws Exception {
		Path folder = Path.of(System.getProperty("distlock.lab.scenes"));
		for (String scheme : List.of("light", "dark")) {
			browser.media(Map.of("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce"));
			for (String language : List.of("en", "zh")) {
				for (int width : List.of(1440, 390)) {
					open(width, (width == 390) ? 844 : 900, language);
					for (String scene : SCENES) {
						show(scene);
						browser.screenshot(folder.resolve("%d-%s-%s-%d-%s.png".formatted(width, language, scheme,
								SCENES.indexOf(scene) + 1, scene)));
					}
				}
			}
		}
	}

	private static void open(int width, int height, String language) {
		browser.size(width, height);
		browser.driver().get(files.address() + "?lang=" + language);
		show(SCENES.get(0));
		await(() -> "OVERSELLS".equals(page.attribute("#verdict", "data-verdict")));
	}

	private static void show(String scene) {
		await(() -> page.elements("#story-dots button").size() == SCENES.size());
		browser.script("document.querySelector(`#story-dots [data-scene='${arguments[0]}']`).click()", scene);
		await(() -> scene.equals(page.attribute("#story", "data-scene")));
		page.awaitFrame();
	}

	private static void await(java.util.concurrent.Callable<Boolean> condition) {
		Awaitility.await().ignoreExceptions().atMost(Duration.ofMinutes(4)).until(condition);
	}

}
