package io.github.distlock.sample;

import java.nio.file.Path;
import java.time.Duration;

import io.github.distlock.installed.Installed;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page as files: what one command has written, in a real browser, over a server that
 * knows nothing but files.
 */
@Tag(Installed.TAG)
class StaticPageTests {

	private static Browser browser;

	private static FileServer files;

	private static LabPage page;

	@BeforeAll
	static void writeThePageAndServeIt(@TempDir Path folder) throws Exception {
		browser = Browser.start("static");
		try (DemoProcess demo = new DemoProcess("static", "--write-page=" + folder,
				"--strategies=none,set-px-unique,distributed-lock", "--fault=none,pause")) {
			assertThat(demo.awaitStatus()).as(demo.output()).isZero();
		}
		files = FileServer.start(folder);
		page = new LabPage(browser, files.address());
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

	@Test
	void theStoryAndTheRecordsNeedNoServer() {
		browser.driver().get(address(""));
		await(() -> page.text("#story-text").contains("7")
				&& "OVERSELLS".equals(page.attribute("#verdict", "data-verdict")));
		assertThat(page.find("#form").isDisplayed()).isFalse();
		assertThat(page.find("#lock-pages").isDisplayed()).isFalse();
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

	@Test
	void aLinkToARecordThatDoesNotExistSaysSo() {
		browser.driver().get(address("?record=setnx-yesterday"));
		await(() -> page.find("#address-message").isDisplayed());
		assertThat(page.text("#address-message")).contains("setnx-yesterday");
		await(() -> page.text("#verdict-name").contains("No lock"));
		assertThat(browser.complaints()).hasSize(1).allMatch((line) -> line.contains("404"));
		browser.forgetComplaints();
	}

	/** Charts that are off the screen are not drawn otherwise. */
	@Test
	void chartsArePrinted() {
		browser.driver().get(address(""));
		await(() -> "OVERSELLS".equals(page.attribute("#verdict", "data-verdict")));
		browser.driver().executeCdpCommand("Page.printToPDF", java.util.Map.of());
		assertThat(browser.script("""
				return [...document.querySelectorAll('.chart canvas')].filter((canvas) => {
				  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
				  copy.drawImage(canvas, 0, 0);
				  return copy.getImageData(0, 0, canvas.width, canvas.height).data.some((part) => part > 0);
				}).length""")).isEqualTo(4L);
	}

	private static String address(String query) {
		return files.address() + query;
	}

	private static void await(java.util.concurrent.Callable<Boolean> condition) {
		Awaitility.await().ignoreExceptions().atMost(Duration.ofMinutes(4)).until(condition);
	}

}
