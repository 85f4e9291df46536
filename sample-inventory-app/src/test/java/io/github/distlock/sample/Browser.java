package io.github.distlock.sample;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;

import io.github.distlock.installed.Installed;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real Chromium without a window. It can reach this machine only, and it records each
 * request and each line of its console.
 */
final class Browser implements AutoCloseable {

	private final ChromeDriver driver;

	private final JsonMapper json = JsonMapper.builder().build();

	private final List<String> requests = new ArrayList<>();

	private final List<String> complaints = new ArrayList<>();

	private Browser(ChromeDriver driver) {
		this.driver = driver;
		// Axe reads the whole page.
		driver.manage().timeouts().scriptTimeout(Duration.ofMinutes(4));
	}

	/**
	 * Start a browser. The calling test is skipped if none is installed.
	 * @param name the name of the folder for its profile
	 * @return the browser, with a window of 1280 x 900
	 */
	static Browser start(String name) {
		return start(name, Installed.CHROMIUM.assume(), Installed.CHROMEDRIVER.assume());
	}

	private static Browser start(String name, Path program, Path driver) {
		Path profile = Path.of(System.getProperty("java.io.tmpdir", "target/tmp"), "browser-" + name).toAbsolutePath();
		ChromeOptions options = new ChromeOptions().setBinary(program.toFile());
		options.addArguments("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync",
				"--disable-default-apps", "--hide-scrollbars", "--user-data-dir=" + profile, "--window-size=1280,900",
				// The browser's own calls must not leave this machine either.
				"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1");
		if ("root".equals(System.getProperty("user.name"))) {
			options.addArguments("--no-sandbox");
		}
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		logs.enable(LogType.PERFORMANCE, Level.ALL);
		options.setCapability("goog:loggingPrefs", logs);
		options.setExperimentalOption("perfLoggingPrefs", Map.of("enableNetwork", true, "enablePage", false));
		// With the driver and the program named, Selenium looks for nothing elsewhere.
		ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(driver.toFile())
			.usingAnyFreePort()
			.build();
		Browser browser = new Browser(new ChromeDriver(service, options));
		browser.size(1280, 900);
		return browser;
	}

	ChromeDriver driver() {
		return this.driver;
	}

	/**
	 * Emulate a screen.
	 * @param width in CSS pixels
	 * @param height in CSS pixels
	 */
	void size(int width, int height) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
	}

	/**
	 * Emulate what the user prefers.
	 * @param features names and values of media features; all others are those of the
	 * machine
	 */
	void media(Map<String, String> features) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features",
						features.entrySet()
							.stream()
							.map((feature) -> Map.of("name", feature.getKey(), "value", feature.getValue()))
							.toList()));
	}

	/**
	 * Run a script in the page.
	 * @param code the body of a function
	 * @param arguments its {@code arguments}
	 * @return what it returns
	 */
	@Nullable Object script(String code, Object... arguments) {
		return this.driver.executeScript(code, arguments);
	}

	/**
	 * Write a picture of the window.
	 * @param file a PNG file
	 */
	void screenshot(Path file) throws IOException {
		Path folder = file.toAbsolutePath().getParent();
		if (folder != null) {
			Files.createDirectories(folder);
		}
		Files.write(file, this.driver.getScreenshotAs(OutputType.BYTES));
	}

	/**
	 * Return the addresses of all requests so far, and those of the browser itself.
	 */
	List<String> requests() {
		readLogs();
		return List.copyOf(this.requests);
	}

	/**
	 * Return the requests that were not sent to this machine.
	 */
	List<String> foreignRequests() {
		Set<String> local = Set.of("localhost", "127.0.0.1");
		return requests().stream()
			.filter((url) -> url.startsWith("http") || url.startsWith("ws"))
			.filter((url) -> !local.contains(String.valueOf(URI.create(url.split("[?#]", 2)[0]).getHost())))
			.toList();
	}

	/**
	 * Return the warnings and errors of the browser's console so far, among them what the
	 * content security policy has refused.
	 */
	List<String> complaints() {
		readLogs();
		return List.copyOf(this.complaints);
	}

	/**
	 * Forget the complaints so far, since they were expected.
	 */
	void forgetComplaints() {
		readLogs();
		this.complaints.clear();
	}

	private void readLogs() {
		for (LogEntry entry : this.driver.manage().logs().get(LogType.PERFORMANCE)) {
			JsonNode message = this.json.readTree(entry.getMessage()).path("message");
			if (message.path("method").asString("").equals("Network.requestWillBeSent")) {
				this.requests.add(message.path("params").path("request").path("url").asString(""));
			}
		}
		for (LogEntry entry : this.driver.manage().logs().get(LogType.BROWSER)) {
			if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
				this.complaints.add(entry.getMessage());
			}
		}
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
