package io.github.distlock.sample;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of the lab in a browser: does what a user does, and reads what a user sees.
 */
final class LabPage {

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private final Browser browser;

	private final URI lab;

	LabPage(Browser browser, URI lab) {
		this.browser = browser;
		this.lab = lab;
	}

	/**
	 * Open the page, and wait until it can be used.
	 * @param query such as {@code ?lang=zh}
	 * @param settings the settings in the link, such as {@code #fault=slow}; may be empty
	 */
	void open(String query, String settings) {
		close();
		this.browser.driver().get(this.lab.resolve("/") + query + settings);
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> "true".equals(attribute("#run", "data-ready")) && "live".equals(state("connection")));
	}

	/** Leave the page, which ends its connections. */
	void close() {
		this.browser.driver().get("about:blank");
	}

	/**
	 * Open the page with a link, press Run, and wait for the end.
	 * @param query such as {@code ?lang=zh}
	 * @param settings the settings in the link
	 * @return name of the run
	 */
	String start(String query, String settings) {
		open(query, settings);
		return run();
	}

	/**
	 * Press Run, and wait for the end of the run.
	 * @return name of the run
	 */
	String run() {
		String before = state("run");
		find("#run").click();
		Awaitility.await().atMost(PATIENCE).until(() -> !state("run").equals(before) || !text("#message").isBlank());
		assertThat(text("#message")).isBlank();
		return awaitEnd();
	}

	/**
	 * Wait for the end of the run that the page shows.
	 * @return name of the run
	 */
	String awaitEnd() {
		Awaitility.await().atMost(PATIENCE).until(() -> state("runState").equals("finished"));
		String run = state("run");
		// Tables follow a little later.
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> rows(run) > 0
					&& elements("#trials-body tr[data-run='" + run + "'][data-verdict='']").isEmpty());
		return run;
	}

	/**
	 * Return what the root element says about the state of the page.
	 * @param name name of a data attribute in the form of JavaScript
	 */
	String state(String name) {
		return String.valueOf(this.browser.script("return document.documentElement.dataset[arguments[0]] ?? ''", name));
	}

	WebElement find(String selector) {
		return this.browser.driver().findElement(By.cssSelector(selector));
	}

	List<WebElement> elements(String selector) {
		return this.browser.driver().findElements(By.cssSelector(selector));
	}

	String text(String selector) {
		return String.valueOf(this.browser.script("return document.querySelector(arguments[0]).textContent", selector));
	}

	String attribute(String selector, String name) {
		return String.valueOf(find(selector).getDomAttribute(name));
	}

	/**
	 * Return a row of the table of all runs: its data attributes, and its figures. The
	 * page replaces its rows at any time, so the whole row is read at once.
	 * @param run name of the run
	 * @param strategy name of the strategy
	 */
	Map<String, String> row(String run, String strategy) {
		Map<String, String> row = new TreeMap<>();
		((Map<?, ?>) Objects.requireNonNull(this.browser.script("""
				const [run, strategy] = arguments;
				const row = document.querySelector(`#trials-body tr[data-run="${run}"][data-strategy="${strategy}"]`);
				const figures = [...row.querySelectorAll('td[data-figure]')];
				return { ...row.dataset, current: String(row.classList.contains('current')),
				  ...Object.fromEntries(figures.map((cell) => [cell.dataset.figure, cell.dataset.value])) };""", run,
				strategy)))
			.forEach((name, value) -> row.put(String.valueOf(name), String.valueOf(value)));
		return row;
	}

	/**
	 * Return how many rows of a run the table of all runs has.
	 * @param run name of the run
	 */
	int rows(String run) {
		return elements("#trials-body tr[data-run='" + run + "']").size();
	}

	/**
	 * Select a trial, as a click on its row does.
	 * @param run name of the run
	 * @param strategy name of the strategy
	 */
	void show(String run, String strategy) {
		this.browser
			.script("""
					const [run, strategy] = arguments;
					document.querySelector(`#trials-body tr[data-run="${run}"][data-strategy="${strategy}"] button`).click();""",
					run, strategy);
		Awaitility.await().atMost(PATIENCE).until(() -> "true".equals(row(run, strategy).get("current")));
	}

	/**
	 * Show the whole of the selected trial.
	 */
	void showAll() {
		this.browser.script("document.getElementById('fit').click()");
		awaitFrame();
	}

	/**
	 * Read the table of the lanes, page by page.
	 * @return the stays that are red, as {@code node/stay}
	 */
	Set<String> redStays() {
		this.browser.script("""
				document.getElementById('lanes-details').open = true;
				const only = document.getElementById('only-overlaps');
				if (!only.checked) only.click();""");
		awaitFrame();
		while (find("#rows-newer").isEnabled()) {
			this.browser.script("document.getElementById('rows-newer').click()");
		}
		Set<String> red = new TreeSet<>();
		while (true) {
			awaitFrame();
			for (Object stay : list("""
					return [...document.querySelectorAll('#stays-body tr')]
					  .map((row) => `${row.dataset.node}/${row.dataset.stay}/${row.dataset.kind}`)""")) {
				red.add(String.valueOf(stay));
			}
			if (!find("#rows-older").isEnabled()) {
				return red;
			}
			this.browser.script("document.getElementById('rows-older').click()");
		}
	}

	/**
	 * Count the pixels of the lanes that have a colour.
	 * @param colour its variable in the style sheet, such as {@code --red}
	 */
	long pixels(String colour) {
		awaitFrame();
		Object count = this.browser.script("""
				const frequently = { willReadFrequently: true };
				const probe = document.createElement('canvas').getContext('2d', frequently);
				probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(arguments[0]);
				probe.fillRect(0, 0, 1, 1);
				const wanted = probe.getImageData(0, 0, 1, 1).data;
				const lanes = document.getElementById('lanes-canvas');
				// A copy: the browser complains of a canvas that is read often.
				const copy = new OffscreenCanvas(lanes.width, lanes.height).getContext('2d', frequently);
				copy.drawImage(lanes, 0, 0);
				const pixels = copy.getImageData(0, 0, lanes.width, lanes.height).data;
				let count = 0;
				for (let i = 0; i < pixels.length; i += 4) {
				  if (Math.abs(pixels[i] - wanted[0]) + Math.abs(pixels[i + 1] - wanted[1])
				      + Math.abs(pixels[i + 2] - wanted[2]) < 12 && pixels[i + 3] > 250) {
				    count++;
				  }
				}
				return count;""", colour);
		return (Long) Objects.requireNonNull(count);
	}

	/**
	 * Ask axe what is wrong with the page.
	 * @return each rule that is broken, with the elements; empty if none is
	 */
	List<String> violations() {
		try (InputStream script = Objects.requireNonNull(LabPage.class.getResourceAsStream("/axe.min.js"))) {
			this.browser.script(new String(script.readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Object found = this.browser.driver().executeAsyncScript("""
				const done = arguments[0];
				axe.run().then(({ violations }) => done(violations.map(({ id, nodes }) =>
				  `${id}: ${nodes.map((node) => node.html).join(' ')}`)));""");
		return ((List<?>) Objects.requireNonNull(found)).stream().map(String::valueOf).toList();
	}

	/**
	 * Wait until the page has drawn what it knows.
	 */
	void awaitFrame() {
		this.browser.driver().executeAsyncScript("""
				const done = arguments[0];
				requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));""");
	}

	/**
	 * Press keys, wherever the focus is.
	 * @param keys the keys
	 */
	void press(CharSequence... keys) {
		new Actions(this.browser.driver()).sendKeys(keys).perform();
	}

	/**
	 * Return the element that has the focus: its id, its name and value, or its text.
	 */
	String focused() {
		return String.valueOf(this.browser
			.script("""
					const at = document.activeElement;
					return at === document.body ? 'body' : at.id || (at.name ? `${at.name}=${at.value}` : `${at.tagName}:${at.textContent}`);"""));
	}

	/**
	 * Return what is wider than the window.
	 * @return tags and ids; empty if nothing scrolls sideways
	 */
	List<String> tooWide() {
		List<String> wide = new ArrayList<>();
		for (Object each : list(
				"""
						const root = document.documentElement;
						if (root.scrollWidth <= innerWidth) return [];
						return [...document.querySelectorAll('body *')]
						  .filter((each) => each.getBoundingClientRect().right > innerWidth && !each.closest('.scroller, .hidden'))
						  .map((each) => `${each.tagName}#${each.id}.${each.className}`).concat(['page']);""")) {
			wide.add(String.valueOf(each));
		}
		return wide;
	}

	private List<?> list(String code) {
		return (List<?>) Objects.requireNonNull(this.browser.script(code));
	}

}
