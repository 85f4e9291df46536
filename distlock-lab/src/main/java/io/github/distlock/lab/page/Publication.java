package io.github.distlock.lab.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.github.distlock.lab.processes.Http;
import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.Run;
import io.github.distlock.lab.runs.RunListener;
import io.github.distlock.lab.runs.RunSettings;
import io.github.distlock.lab.runs.Runs;
import io.github.distlock.lab.runs.Strategy;
import io.github.distlock.lab.runs.TrialResult;
import io.github.distlock.lab.runs.Verdict;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * Writes the page as files: the records of its story, or a folder that any file server
 * serves, with the records of all strategies and faults. The records are those of real
 * runs. What a record says twice is left out: of each sale only the last state remains.
 */
public final class Publication {

	private static final String LOCKED = "distributed-lock";

	private static final int ATTEMPTS = 50;

	private static final String STATIC = "/static/";

	private static final String CHARTS = "webjars/chart.js/dist/chart.umd.js";

	private final JsonMapper json = JsonMapper.builder().build();

	private final Http http = new Http();

	private final Runs runs;

	private final URI lab;

	private final Catalogue strategies;

	private final Consumer<String> console;

	private volatile String run = "";

	/**
	 * Prepare to write.
	 * @param runs starts the runs
	 * @param lab address of the served page
	 * @param strategies the strategies that there are
	 * @param console gets a line for each file
	 */
	public Publication(Runs runs, URI lab, Catalogue strategies, Consumer<String> console) {
		this.strategies = strategies;
		this.runs = runs;
		this.lab = lab;
		this.console = console;
		runs.listen(new RunListener() {

			@Override
			public void started(Run started) {
				Publication.this.run = started.id();
			}

		});
	}

	/**
	 * Run the scenes of the story, and write their records.
	 * @param folder the folder of the records
	 * @throws IOException if the run of a scene fails or cannot be written
	 * @throws InterruptedException if interrupted meanwhile
	 */
	public void writeStory(Path folder) throws IOException, InterruptedException {
		write(folder.resolve("two-buyers.json"), scene("none", Fault.NONE, 2, 7, 2));
		write(folder.resolve("no-lock.json"), scene("none", Fault.NONE, 800, 500, 64));
		write(folder.resolve("synchronized.json"), scene("synchronized", Fault.NONE, 800, 500, 64));
		write(folder.resolve("with-lock.json"), scene(LOCKED, Fault.NONE, 800, 500, 64));
		write(folder.resolve("hand-made.json"), scene("set-px-unique", Fault.SLOW, 24, 18, 6));
		write(folder.resolve("distributed-lock.json"), scene(LOCKED, Fault.SLOW, 24, 18, 6));
		write(folder.resolve("paused.json"), scene("redis", Fault.PAUSE, 24, 18, 6));
		write(folder.resolve("token.json"), scene(LOCKED, Fault.PAUSE, 24, 18, 6));
	}

	/**
	 * Write the page, its story and a record of each strategy with each fault.
	 * @param folder the folder, which is created
	 * @param strategies the strategies
	 * @param faults the faults
	 * @throws IOException if a record cannot be made or a file cannot be written
	 * @throws InterruptedException if interrupted meanwhile
	 */
	public void writePage(Path folder, List<Strategy> strategies, List<Fault> faults)
			throws IOException, InterruptedException {
		copyPage(folder);
		ArrayNode index = this.json.createArrayNode();
		for (Fault fault : faults) {
			for (Strategy strategy : strategies) {
				String name = strategy.name() + "-" + fault.option();
				ObjectNode record = scene(strategy.name(), fault, 60, 40, 12);
				write(folder.resolve("records").resolve(name + ".json"), record);
				ObjectNode entry = index.addObject().put("record", name).put("strategy", strategy.name());
				entry.put("fault", fault.option()).set("verdict", last(record, "verdict"));
			}
		}
		write(folder.resolve("records").resolve("index.json"), index);
		this.console.accept("%nThe page is in %s: any file server can serve it".formatted(folder));
	}

	private void copyPage(Path folder) throws IOException, InterruptedException {
		copyFiles(folder);
		write(folder.resolve(CHARTS), this.http.send("GET", this.lab.resolve("/" + CHARTS)));
		write(folder.resolve("lab").resolve("setup.json"), this.http.send("GET", this.lab.resolve("/lab/setup")));
		// Some hosts leave out what a site generator does not know.
		write(folder.resolve(".nojekyll"), "");
	}

	/**
	 * Write the files of the page, which then knows that it has no server. They are read
	 * from the class path. The script of the charts is not one of them.
	 * @param folder the folder, which is created
	 * @throws IOException if a file cannot be written
	 */
	public static void copyFiles(Path folder) throws IOException {
		for (Resource file : new PathMatchingResourcePatternResolver().getResources("classpath:static/**")) {
			String path = file.getURL().getPath();
			String name = path.substring(path.lastIndexOf(STATIC) + STATIC.length());
			if (file.isReadable() && name.contains(".")) {
				try (InputStream content = file.getInputStream()) {
					copy(name.equals("index.html") ? withoutServer(content) : content, folder.resolve(name));
				}
			}
		}
	}

	private static InputStream withoutServer(InputStream page) throws IOException {
		String html = new String(page.readAllBytes(), StandardCharsets.UTF_8);
		return new java.io.ByteArrayInputStream(
				html.replaceFirst("<html ", "<html data-static=\"true\" ").getBytes(StandardCharsets.UTF_8));
	}

	private static void copy(InputStream content, Path file) throws IOException {
		Files.createDirectories(parent(file));
		Files.copy(content, file, StandardCopyOption.REPLACE_EXISTING);
	}

	private static Path parent(Path file) {
		Path parent = file.toAbsolutePath().getParent();
		return (parent != null) ? parent : file.toAbsolutePath();
	}

	private void write(Path file, JsonNode content) throws IOException {
		// An event on a line: a diff shows what has changed.
		write(file, this.json.writeValueAsString(content).replace("{\"n\":", "\n{\"n\":") + "\n");
		this.console.accept("  " + file.getFileName());
	}

	private static void write(Path file, String content) throws IOException {
		Files.createDirectories(parent(file));
		Files.writeString(file, content);
	}

	/**
	 * Try a strategy until its verdict is the expected one. A race of two buyers needs
	 * luck.
	 */
	private ObjectNode scene(String strategy, Fault fault, int orders, int stock, int buyers)
			throws IOException, InterruptedException {
		RunSettings settings = new RunSettings(List.of(this.strategies.strategy(strategy)), List.of(fault), orders,
				stock, buyers);
		for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
			List<TrialResult> trials = this.runs.run(settings);
			if (trials.size() == 1 && trials.get(0).isAsExpected(orders, stock)) {
				ObjectNode record = digest(
						this.json.readTree(this.http.send("GET", this.lab.resolve("/lab/runs/" + this.run))));
				// The records must show what the database says.
				boolean oversold = trials.get(0).verdict(orders, stock) == Verdict.OVERSELLS;
				if (!oversold || last(record, "verdict").at("/figures/overlaps").asLong() > 0) {
					return record;
				}
			}
		}
		throw new IllegalStateException("'%s' with the fault '%s' did not have the expected verdict in %d attempts"
			.formatted(strategy, fault.option(), ATTEMPTS));
	}

	/**
	 * Leave out what a record says twice.
	 * @param record the record of a run
	 * @return the same with the last state of each sale only
	 */
	ObjectNode digest(JsonNode record) {
		ObjectNode digest = this.json.createObjectNode();
		digest.set("format", record.path("format"));
		digest.set("version", record.path("version"));
		ArrayNode events = digest.putArray("events");
		Map<String, JsonNode> sales = new LinkedHashMap<>();
		for (JsonNode event : record.path("events")) {
			String type = event.path("type").asString();
			if (type.equals("stays")) {
				event.path("stays")
					.forEach(
							(sale) -> sales.put(sale.path("node").asString() + "/" + sale.path("stay").asLong(), sale));
				continue;
			}
			if (type.equals("verdict")) {
				ObjectNode all = events.addObject().put("n", 0).put("type", "stays");
				all.set("trial", event.path("trial"));
				all.set("stays", this.json.valueToTree(new ArrayList<>(sales.values())));
				sales.clear();
			}
			events.add(event.deepCopy());
		}
		for (int n = 0; n < events.size(); n++) {
			((ObjectNode) events.get(n)).put("n", n + 1);
		}
		return digest;
	}

	private static JsonNode last(JsonNode record, String type) {
		List<JsonNode> events = record.path("events")
			.valueStream()
			.filter((event) -> event.path("type").asString().equals(type))
			.toList();
		if (events.isEmpty()) {
			throw new UncheckedIOException(new IOException("The record has no event of the type '%s'".formatted(type)));
		}
		return events.get(events.size() - 1);
	}

}
