package io.github.distlock.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.check.Finding.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the rows say, and how answers are judged.
 */
class TextsTests {

	private static final Path DOCS = Path.of("..", "docs");

	@Test
	void reasonsAndRemediesAreTheWordsOfTheDocumentation() throws IOException {
		String pages;
		try (Stream<Path> files = Files.walk(DOCS)) {
			pages = files.filter((file) -> file.toString().endsWith(".md"))
				.map(TextsTests::plain)
				.collect(Collectors.joining("\n"));
		}
		assertThat(Texts.ALL.keySet()).filteredOn((key) -> key.endsWith(".why") || key.endsWith(".do"))
			.hasSizeGreaterThan(30)
			.allSatisfy((key) -> assertThat(pages.contains(Texts.ALL.getString(key))).as(key).isTrue());
	}

	@Test
	void eachPageHasItsHeading() {
		assertThat(Texts.ALL.keySet()).filteredOn((key) -> key.endsWith(".page")).isNotEmpty().allSatisfy((key) -> {
			String[] page = Texts.ALL.getString(key).split("#");
			assertThat(read(DOCS.resolve(page[0])).lines().filter((line) -> line.startsWith("#")))
				.map((line) -> line.replaceFirst("#+ ", "")
					.toLowerCase(Locale.ROOT)
					.replaceAll("[^\\w -]", "")
					.replace(' ', '-'))
				.contains(page[1]);
		});
	}

	/** Nothing is checked, so there is no server. */
	@Test
	@SuppressWarnings("NullAway")
	void eachRowSaysWhyItMattersAndWhatToDo() {
		for (String platform : List.of("redis", "postgresql", "mariadb", "h2")) {
			Texts texts = new Texts(platform);
			Set<String> rows = new TreeSet<>(new Checks(null, texts, List.of()).all(Duration.ofSeconds(1)).keySet());
			rows.addAll(Set.of("commands", "connection"));
			assertThat(rows).hasSizeGreaterThan(10)
				.allSatisfy((row) -> assertThat(List.of("why", "do", "page")).as(platform + " " + row)
					.allSatisfy((word) -> assertThat(texts.of(row, word)).as(word).isNotEmpty()));
		}
	}

	@Test
	void theCommandsAreThoseOfTheDocumentedRights() {
		String rights = read(DOCS.resolve("redis-operations.md")).lines()
			.filter((line) -> line.startsWith("ACL SETUSER distlock on"))
			.findFirst()
			.orElseThrow();
		assertThat(new Texts("redis").of("commands", "names").split(",? (and )?")).containsExactlyInAnyOrderElementsOf(
				Stream
					.concat(Arrays.stream(rights.split(" "))
						.filter((word) -> word.startsWith("+"))
						.map((word) -> word.substring(1)), Stream.of("asking"))
					.toList());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					redis      | eviction    | maxmemory=0, maxmemory_policy=noeviction                     | OK
					redis      | eviction    | maxmemory=1048576, maxmemory_policy=noeviction               | OK
					redis      | eviction    | maxmemory=0, maxmemory_policy=allkeys-lru                    | WARNING
					redis      | eviction    | maxmemory=1048576, maxmemory_policy=volatile-lru             | FAILED
					redis      | eviction    | a.maxmemory=9, a.maxmemory_policy=noeviction, b.maxmemory=9, b.maxmemory_policy=allkeys-lru | FAILED
					redis      | eviction    | maxmemory=0                                                  | NOT_KNOWN
					redis      | persistence | aof_enabled=0, appendfsync=everysec                          | WARNING
					redis      | persistence | aof_enabled=1, appendfsync=everysec                          | WARNING
					redis      | persistence | aof_enabled=1, appendfsync=always                            | OK
					redis      | persistence | aof_enabled=1                                                | NOT_KNOWN
					redis      | replication | connected_slaves=0, role=master                              | OK
					redis      | replication | connected_slaves=1, role=master                              | WARNING
					redis      | replication | connected_slaves=0, role=slave                               | FAILED
					redis      | product     | redis_version=6.0.16                                         | FAILED
					redis      | product     | redis_version=7.2.4, valkey_version=8.1.1                    | OK
					postgresql | replication | in_recovery=f, standbys=0, asynchronous=0, hidden=0, synchronous_commit=off | OK
					postgresql | replication | in_recovery=f, standbys=1, asynchronous=0, hidden=0, synchronous_commit=on  | OK
					postgresql | replication | in_recovery=f, standbys=1, asynchronous=0, hidden=0, synchronous_commit=local | WARNING
					postgresql | replication | in_recovery=f, standbys=1, asynchronous=1, hidden=0, synchronous_commit=on  | WARNING
					postgresql | replication | in_recovery=f, standbys=1, asynchronous=0, hidden=1, synchronous_commit=on  | NOT_KNOWN
					postgresql | replication | in_recovery=t, standbys=0, asynchronous=0, hidden=0, synchronous_commit=on  | FAILED
					postgresql | persistence | synchronous_commit=off, fsync=on                             | WARNING
					postgresql | pooler      | sessions of two connections: [12, 12]                        | WARNING
					postgresql | pooler      | sessions of two connections: [12, 123]                       | OK
					redis      | exclusion   | 12 entries, 0 overlaps, tokens rise, 0 losses, 0 refusals, longest gap 0.1 s | OK
					redis      | exclusion   | 12 entries, 1 overlaps, tokens rise, 0 losses, 0 refusals, longest gap 0.1 s | FAILED
					redis      | exclusion   | 0 entries, 0 overlaps, tokens rise, 0 losses, 9 refusals, longest gap 0.0 s  | FAILED
					redis      | watch       | 12 entries, 0 overlaps, tokens rise, 2 losses, 3 refusals, longest gap 9.1 s | WARNING
					redis      | watch       | 12 entries, 0 overlaps, tokens fall, 0 losses, 0 refusals, longest gap 9.1 s | FAILED
					redis      | watch       | 12 entries, 0 overlaps, tokens rise, 0 losses, 3 refusals, longest gap 9.1 s | WARNING
					redis      | watch       | 12 entries, 0 overlaps, tokens rise, 0 losses, 0 refusals, longest gap 9.1 s | OK
					redis      | killed JVM  | mode lease, its lock was free 0 s after it asked for it      | FAILED
					redis      | killed JVM  | mode lease, its lock was free 3 s after it asked for it      | OK
					redis      | killed JVM  | mode lease, its lock was free 20 s after it asked for it     | OK
					postgresql | killed JVM  | mode connection, its lock was free 0 s after it asked for it | OK
					redis      | messages    | polling; a waiter had the lock 64 ms after its release       | WARNING
					""")
	void answersAreJudged(String platform, String row, String answer, Verdict verdict) {
		assertThat(new Texts(platform).judge(row, answer)).isEqualTo(new Finding(verdict, answer));
	}

	@ParameterizedTest
	@CsvSource({ "exclusion, NOT_KNOWN, 2", "killed JVM, NOT_KNOWN, 2", "lease, FAILED, 1", "lease, OK, 0",
			"eviction, NOT_KNOWN, 0" })
	void aCheckThatDoesNotKnowWhatLocksDoCouldNotRun(String row, Verdict verdict, int status) {
		Finding fine = new Finding(Verdict.OK, "");
		Map<String, Finding> findings = Map.of("commands", fine, row, new Finding(verdict, ""));
		assertThat(new Report("Redis", new Texts("redis"), findings).exitStatus()).isEqualTo(status);
	}

	/** The answers of a child JVM are given, so there is neither a server nor a child. */
	@ParameterizedTest
	@ValueSource(strings = { "en", "de", "ar-EG" })
	@SuppressWarnings("NullAway")
	void theTimeUntilTheEndIsAGapAndTheLanguageOfTheMachineDoesNotMatter(String language) throws Exception {
		Locale before = Locale.getDefault();
		try (BufferedReader answer = new BufferedReader(new StringReader("entered 1 0\ndone\n"))) {
			Locale.setDefault(Locale.forLanguageTag(language));
			WorkerProcess child = new WorkerProcess(null, new PrintStream(OutputStream.nullOutputStream()), answer);
			Checks checks = new Checks(null, new Texts("redis"), List.of(child));
			assertThat(checks.all(Duration.ofSeconds(1)).get("watch").call().text())
				.matches("1 entries, 0 overlaps, .*, 0 refusals, longest gap [0-9]{10,}\\.[0-9] s");
		}
		finally {
			Locale.setDefault(before);
		}
	}

	@Test
	void whatAServerDoesNotTellIsNotKnown() {
		for (String row : List.of("product", "eviction", "persistence", "replication")) {
			assertThat(new Texts("redis").judge(row, "").verdict()).as(row).isEqualTo(Verdict.NOT_KNOWN);
		}
	}

	@Test
	void noOtherModuleDependsOnTheCheck() throws IOException {
		try (Stream<Path> files = Files.find(Path.of(".."), 4, (file, attributes) -> file.endsWith("pom.xml"))) {
			List<Path> others = files.filter((file) -> !file.toString().contains("target"))
				.filter((file) -> !file.equals(Path.of("..", "distlock-check", "pom.xml")))
				.toList();
			assertThat(others).hasSizeGreaterThan(5)
				.allSatisfy((file) -> assertThat(read(file)).doesNotContain("<artifactId>distlock-check<"));
		}
	}

	/** The words of a page, without marks and targets of links. */
	private static String plain(Path page) {
		return read(page).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replaceAll("[`*]", "").replaceAll("\\s+", " ");
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
