package io.github.distlock.docs;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.imageio.ImageIO;

import io.github.distlock.docs.MarkdownPage.Heading;
import io.github.distlock.docs.MarkdownPage.Link;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootVersion;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The links and images of all pages, the length of the README, the root of the
 * repository, the tests that the page about faults of other libraries names (one row for
 * each fault, and tests as {@code `package.Class#method`}, below the base package), and
 * the version that pages name: a release whose pages tell the user to add a snapshot
 * cannot be corrected afterwards. The pages for users are short enough to be read and
 * kept true.
 * <p>
 * What counts of their length: the words of the README and of all pages of {@code docs},
 * with code and tables. What does not count: pages for maintainers and of the project,
 * which users of the library do not need; translations; {@code llms.txt}, which repeats
 * the map of the documentation for machines; and what is generated, which tests compare
 * with the code word by word: the results of combinations in {@code compatibility.md},
 * and in {@code reference.md} the rows of properties, of causes of a loss, and of
 * components of events. A page in Chinese has the structure of its original. The figures
 * of the README are those of the page on performance.
 */
class LinkTests {

	private static final String MAP = "docs/README.md";

	private static final String MACHINE_MAP = "llms.txt";

	private static final long LARGEST_IMAGE = 500_000;

	private static final int NARROWEST_IMAGE = 400;

	private static final int LONGEST_README = 130;

	private static final int MOST_ENTRIES_OF_THE_ROOT = 18;

	private static final Pattern BADGE = Pattern
		.compile("https://(?:img\\.shields\\.io/maven-central|javadoc\\.io/badge2)/.*");

	@Test
	void eachRelativeLinkLeadsToAFile() {
		assertThat(relativeLinks()).filteredOn((link) -> !link.image() && !Files.exists(file(link))).isEmpty();
	}

	@Test
	void eachAnchorExists() {
		Predicate<Link> exists = (link) -> MarkdownPage.of(link.file())
			.anchors()
			.contains(URLDecoder.decode(link.anchor(), StandardCharsets.UTF_8));
		assertThat(relativeLinks()).filteredOn((link) -> !link.anchor().isEmpty())
			.filteredOn((link) -> link.file().endsWith(".md") && Files.exists(file(link)))
			.filteredOn(exists.negate())
			.isEmpty();
	}

	@Test
	void eachImageIsAFileOfTheRepositoryExceptForTheBadgesOfARelease() {
		assertThat(links()).filteredOn(Link::image)
			.filteredOn((link) -> !BADGE.matcher(link.target()).matches())
			.allMatch((link) -> link.isRelative() && Files.exists(file(link)));
	}

	@Test
	void eachImageIsAPngFileOfSaneSize() throws IOException {
		for (Path image : images()) {
			assertThat(image.toString()).endsWith(".png");
			assertThat(Files.size(image)).as("size of %s in bytes", image).isLessThanOrEqualTo(LARGEST_IMAGE);
			BufferedImage picture = ImageIO.read(image.toFile());
			assertThat(picture).as("%s is a picture", image).isNotNull();
			assertThat(picture.getWidth()).as("width of %s", image).isGreaterThanOrEqualTo(NARROWEST_IMAGE);
		}
	}

	@Test
	void eachImageIsShownOnAPage() throws IOException {
		Set<Path> shown = links().filter(Link::image).map(LinkTests::file).collect(Collectors.toSet());
		assertThat(images()).isSubsetOf(shown);
	}

	@Test
	void eachPageForUsersIsLinkedFromTheMapOrFromTheFirstPageOfItsFolder() {
		assertThat(Pages.all()).filteredOn((page) -> page.startsWith("docs/") && !page.startsWith("docs/maintainers/"))
			.filteredOn((page) -> !page.equals(MAP) && !page.endsWith(".zh-CN.md"))
			.filteredOn((page) -> !isLinked(MAP, page)
					&& !isLinked(page.substring(0, page.lastIndexOf('/')) + "/README.md", page))
			.isEmpty();
	}

	@Test
	void eachPageForUsersIsInTheMapForMachinesWithOneLinkPerLine() {
		MarkdownPage map = MarkdownPage.of(MACHINE_MAP);
		assertThat(Pages.text(MACHINE_MAP).lines()).filteredOn((line) -> line.startsWith("- ["))
			.hasSameSizeAs(map.links())
			.allMatch((line) -> line.matches("- \\[[^\\]]+]\\([^)]+\\): \\S.*"));
		assertThat(map.links()).allMatch(Link::isRelative).extracting(Link::target).doesNotHaveDuplicates();
		assertThat(MarkdownPage.of(MAP).links()).filteredOn(Link::isRelative)
			.extracting(Link::file)
			.filteredOn((file) -> file.endsWith(".md") && !file.startsWith("docs/maintainers/"))
			.as("pages to add to %s", MACHINE_MAP)
			.isSubsetOf(map.links().stream().map(Link::file).collect(Collectors.toSet()));
	}

	@Test
	void aReadmeHasAtMostOneHundredAndThirtyLines() {
		for (String page : List.of("README.md", "README.zh-CN.md")) {
			assertThat(Pages.text(page).lines().count()).as(page).isLessThanOrEqualTo(LONGEST_README);
		}
	}

	@Test
	void theRootIsShortEnoughThatAStrangerSeesTheReadme() throws IOException {
		try (Stream<Path> entries = Files.list(Pages.ROOT)) {
			assertThat(entries.map((entry) -> entry.getFileName().toString()))
				.filteredOn((name) -> name.matches("\\.ci|\\.github|[^.].*") && !name.matches("target|.*\\.iml"))
				.filteredOn((name) -> !isLeftOver(Pages.ROOT.resolve(name)))
				.hasSizeLessThanOrEqualTo(MOST_ENTRIES_OF_THE_ROOT);
		}
	}

	/** Whether a folder was a module of an earlier version. */
	private static boolean isLeftOver(Path entry) {
		String[] names = entry.toFile().list();
		return names != null && List.of(names).stream().allMatch("target"::equals);
	}

	private static boolean isLinked(String from, String page) {
		return Files.exists(Pages.ROOT.resolve(from))
				&& MarkdownPage.of(from).links().stream().anyMatch((link) -> link.file().equals(page));
	}

	private static Stream<Link> links() {
		return Stream
			.concat(Pages.all().stream(), Stream.of("CHANGELOG.md", MACHINE_MAP, ".github/pull_request_template.md"))
			.flatMap((page) -> MarkdownPage.of(page).links().stream());
	}

	private static Stream<Link> relativeLinks() {
		return links().filter(Link::isRelative);
	}

	private static Path file(Link link) {
		return Pages.ROOT.resolve(URLDecoder.decode(link.file(), StandardCharsets.UTF_8));
	}

	private static List<Path> images() throws IOException {
		Path folder = Pages.ROOT.resolve("docs/images");
		if (!Files.isDirectory(folder)) {
			return List.of();
		}
		try (Stream<Path> files = Files.list(folder)) {
			return files.sorted().toList();
		}
	}

	private static final Pattern OF_BUILD = Pattern
		.compile("<artifactId>distlock-parent</artifactId>\\s*<version>([^<]+)</version>");

	private static final Pattern NAMED = Pattern
		.compile("<artifactId>distlock-[a-z-]+</artifactId>\\s*<version>([^<]+)</version>"
				+ "|distlock-[a-z-]+:(\\d[\\w.-]*\\w)|(\\d+\\.\\d+\\.\\d+-SNAPSHOT)");

	@Test
	void eachPageNamesTheVersionOfTheBuildOrTheLastReleaseIfTheBuildIsALaterSnapshot() {
		String build = OF_BUILD.matcher(Pages.text("pom.xml"))
			.results()
			.map((found) -> found.group(1))
			.findFirst()
			.orElseThrow();
		List<String> pages = Stream.concat(Pages.all().stream(), Stream.of("llms.txt")).toList();
		List<String> named = pages.stream()
			.flatMap((page) -> versions(page).map((found) -> page + ": " + found))
			.toList();
		// The first release applies and removes the patch.
		boolean later = build.endsWith("-SNAPSHOT")
				&& !Files.exists(Pages.ROOT.resolve("docs/maintainers/released.patch"));
		String version = later ? versions("README.md").findFirst().orElseThrow() : build;
		assertThat(named).hasSizeGreaterThan(5).allMatch((found) -> found.endsWith(": " + version));
		assertThat(later && version.endsWith("-SNAPSHOT")).as("a snapshot after the first release").isFalse();
	}

	private static Stream<String> versions(String page) {
		return NAMED.matcher(Pages.text(page)).results().map(LinkTests::version);
	}

	private static String version(MatchResult found) {
		return Stream.of(1, 2, 3).map(found::group).filter((group) -> group != null).findFirst().orElseThrow();
	}

	private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\|.*");

	private static final Pattern NAMED_TEST = Pattern.compile("`([a-z.]+[A-Z]\\w+)#(\\w+)`");

	@Test
	void everyRowNamesTestsThatExist() {
		List<String> rows = Pages.text("docs/maintainers/peer-bugs.md")
			.lines()
			.filter((line) -> ROW.matcher(line).matches())
			.toList();
		assertThat(rows).hasSizeGreaterThanOrEqualTo(30)
			.allMatch((row) -> NAMED_TEST.matcher(row).find())
			.allSatisfy(LinkTests::assertThatEachExists)
			.map((row) -> row.split(" \\|")[0])
			.doesNotHaveDuplicates();
	}

	private static void assertThatEachExists(String row) {
		for (Matcher test = NAMED_TEST.matcher(row); test.find();) {
			Class<?> type = ClassUtils.resolveClassName("io.github.distlock." + test.group(1), null);
			assertThat(Arrays.stream(type.getDeclaredMethods()).map((declared) -> declared.getName())).as(test.group(1))
				.contains(test.group(2));
		}
	}

	private static final int MOST_WORDS = 56_100;

	private static final Pattern COMBINATIONS = Pattern
		.compile("(?s)<!-- combinations -->.*<!-- end of combinations -->");

	private static final Pattern GENERATED_ROWS = Pattern
		.compile("(?m)^\\| `(?:distlock|management)\\.[\\w.\\[\\]-]+` \\| `(?:boolean|int|[A-Z][\\w<>]*)` \\|.*$"
				+ "|(?s)(?<=\\n)\\| (?:`LossCause`|Event \\| Component) \\|.*?(?=\\n\\n)");

	@Test
	void thePagesForUsersStayWithinTheirWords() {
		Map<String, Integer> words = Stream
			.concat(Stream.of("README.md"), Pages.all().stream().filter((page) -> page.startsWith("docs/")))
			.filter((page) -> !page.matches("docs/(maintainers/.*|roadmap\\.md)") && !page.endsWith(".zh-CN.md"))
			.collect(Collectors.toMap((page) -> page, (page) -> words(page, Pages.text(page)), Integer::sum,
					TreeMap::new));
		assertThat(words.values().stream().mapToInt(Integer::intValue).sum()).as("words of %s", words)
			.isLessThanOrEqualTo(MOST_WORDS);
	}

	private static int words(String page, String text) {
		String written = switch (page) {
			case "docs/compatibility.md" -> COMBINATIONS.matcher(text).replaceAll("");
			case "docs/reference.md" -> GENERATED_ROWS.matcher(text).replaceAll("");
			default -> text;
		};
		return written.isBlank() ? 0 : written.strip().split("\\s+").length;
	}

	private static final String SUFFIX = ".zh-CN";

	static List<String> translations() {
		return Pages.all().stream().filter((page) -> page.endsWith(SUFFIX + ".md")).toList();
	}

	@Test
	void theReadmesTheAnnotationAndTheQuestionsAreTranslated() {
		assertThat(translations()).contains("README.zh-CN.md", "sample-inventory-app/README.zh-CN.md",
				"distlock-lab/README.zh-CN.md", "docs/annotation.zh-CN.md", "docs/faq.zh-CN.md");
	}

	@ParameterizedTest
	@MethodSource("translations")
	void headingsHaveTheSameLevelsInTheSameOrder(String page) {
		assertThat(levels(MarkdownPage.of(page))).containsExactlyElementsOf(levels(original(page)));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void headingsBelowTheTitleAreTranslated(String page) {
		assertThat(MarkdownPage.of(page).headings()).filteredOn((heading) -> heading.level() > 1)
			.allMatch((heading) -> heading.text().codePoints().anyMatch(Character::isIdeographic));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void blocksOfCodeAreEqualButForTheirComments(String page) {
		assertThat(code(MarkdownPage.of(page))).containsExactlyElementsOf(code(original(page)));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void tablesHaveAsManyRowsAndColumns(String page) {
		assertThat(MarkdownPage.of(page).tables()).containsExactlyElementsOf(original(page).tables());
	}

	@ParameterizedTest
	@MethodSource("translations")
	void linksAndImagesLeadToTheSamePlaces(String page) {
		assertThat(targets(MarkdownPage.of(page))).containsExactlyInAnyOrderElementsOf(targets(original(page)));
	}

	private static MarkdownPage original(String page) {
		return MarkdownPage.of(withoutLanguage(page));
	}

	private static List<Integer> levels(MarkdownPage page) {
		return page.headings().stream().map(Heading::level).toList();
	}

	private static List<String> code(MarkdownPage page) {
		return page.blocks().stream().map((block) -> block.info() + "\n" + withoutComments(block.text())).toList();
	}

	private static String withoutComments(String code) {
		return code.replaceAll("(?s)/\\*.*?\\*/", "")
			.replaceAll("(?m)(^|\\s)\\s*(?://|#(?=\\s)).*$", "$1")
			.replaceAll("(?m)[ \\t]+$", "");
	}

	/**
	 * The places to which links lead. The language of a page does not count, and a
	 * heading is named by its number, since its anchor depends on the language.
	 */
	private static List<String> targets(MarkdownPage page) {
		return page.links().stream().flatMap(LinkTests::target).toList();
	}

	private static Stream<String> target(Link link) {
		if (!link.isRelative()) {
			return Stream.of(link.target());
		}
		String place = withoutLanguage(link.file());
		if (link.anchor().isEmpty() || !link.file().endsWith(".md")) {
			return Stream.of(place);
		}
		return Stream.of(place + " heading " + MarkdownPage.of(link.file()).anchors().indexOf(link.anchor()));
	}

	private static String withoutLanguage(String file) {
		return file.replace(SUFFIX, "");
	}

	private static final String PERFORMANCE = "docs/performance.md";

	private static final Pattern NUMBER = Pattern.compile("\\d+(?:,\\d{3})*(?:\\.\\d+)?");

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void theCommandsOfTheComparisonAreThoseThatWereCounted(String page) {
		for (String library : List.of("distlock", "Redisson", "Spring Integration", "lock4j")) {
			List<String> compared = row(Pages.text(page), "|---|---|--:|--:|---|---|", library);
			assertThat(compared.get(2)).as(library + ", uncontended")
				.isEqualTo(row(section("### Uncontended"), "|---|", library).get(4));
			BigDecimal contended = number(
					row(section("### One hot key, empty section"), "|---|", library).get(4).split("/")[1]);
			assertThat(number(compared.get(3))).as(library + ", contended")
				.isEqualByComparingTo(contended.multiply(BigDecimal.valueOf(1000)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void theFiguresOfTheFirstFactAreThoseThatWereMeasured(String page) {
		String fact = Pages.text(page).lines().filter((line) -> line.startsWith("- **")).findFirst().orElseThrow();
		String section = section("### One hot key, section of 1 ms");
		List<String> ours = row(section, "|---|", "distlock");
		List<String> redisson = row(section, "|---|", "Redisson");
		String best = row(section("### One hot key, empty section"), "|---|", "distlock").get(2);
		assertThat(numbers(fact)).containsSubsequence(rounded(number(ours.get(1))),
				rounded(number(redisson.get(2)).divide(number(ours.get(2)), MathContext.DECIMAL32)),
				rounded(number(redisson.get(3)).divide(number(ours.get(3)), MathContext.DECIMAL32)),
				rounded(number(best)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void theVersionOfSpringBootIsThatOfTheBuild(String page) {
		assertThat(Pages.text(page)).contains("Spring Boot " + SpringBootVersion.getVersion());
	}

	private static BigDecimal rounded(BigDecimal figure) {
		return figure.round(new MathContext(2, RoundingMode.HALF_UP)).stripTrailingZeros();
	}

	private static String section(String heading) {
		String text = Pages.text(PERFORMANCE);
		int begin = text.indexOf(heading + "\n");
		assertThat(begin).as(heading).isPositive();
		int end = text.indexOf("\n### ", begin + 1);
		return text.substring(begin, (end < 0) ? text.length() : end);
	}

	/** The cells of the first row about a library, in the first table like that. */
	private static List<String> row(String text, String table, String library) {
		return text.substring(text.indexOf(table))
			.lines()
			.filter((line) -> line.startsWith("| " + library) || line.startsWith("| [" + library))
			.map((line) -> Arrays.stream(line.split("\\|")).skip(1).map(String::trim).toList())
			.findFirst()
			.orElseThrow();
	}

	private static BigDecimal number(String text) {
		return numbers(text).get(0);
	}

	private static List<BigDecimal> numbers(String text) {
		return NUMBER.matcher(text)
			.results()
			.map((found) -> new BigDecimal(found.group().replace(",", "")).stripTrailingZeros())
			.toList();
	}

}
