package io.github.distlock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.docs.MarkdownPage.Heading;
import io.github.distlock.docs.MarkdownPage.Link;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The files that forges and machines look for: the map of the documentation for machines,
 * the policies, and the forms for issues. {@link LinkTests} checks their links.
 */
class CommunityFileTests {

	private static final String MACHINE_MAP = "llms.txt";

	private static final Path FORMS = Pages.ROOT.resolve(".github/ISSUE_TEMPLATE");

	private static final Set<String> ELEMENTS = Set.of("markdown", "textarea", "input", "dropdown", "checkboxes");

	private static final Pattern MAIL_ADDRESS = Pattern.compile("[\\w.+-]+@[\\w-]+\\.[\\w.]+");

	@Test
	void theMapForMachinesHasATitleASummaryAndOneLinkPerLine() {
		List<String> lines = Pages.text(MACHINE_MAP).lines().toList();
		assertThat(lines.get(0)).isEqualTo("# distlock");
		assertThat(lines.get(2)).startsWith("> ");
		MarkdownPage page = MarkdownPage.of(MACHINE_MAP);
		assertThat(page.headings()).extracting(Heading::level).startsWith(1).filteredOn((level) -> level > 2).isEmpty();
		assertThat(lines).filteredOn((line) -> line.startsWith("- ["))
			.hasSameSizeAs(page.links())
			.allMatch((line) -> line.matches("- \\[[^\\]]+]\\([^)]+\\): \\S.*"));
		assertThat(page.links()).allMatch(Link::isRelative).extracting(Link::target).doesNotHaveDuplicates();
	}

	@Test
	void eachPageForUsersIsInTheMapForMachines() {
		Set<String> linked = MarkdownPage.of(MACHINE_MAP).links().stream().map(Link::file).collect(Collectors.toSet());
		assertThat(MarkdownPage.of("docs/README.md").links()).filteredOn(Link::isRelative)
			.extracting(Link::file)
			.filteredOn((file) -> file.endsWith(".md") && !file.startsWith("docs/maintainers/"))
			.as("pages to add to %s", MACHINE_MAP)
			.filteredOn((file) -> !linked.contains(file))
			.isEmpty();
	}

	@Test
	void thePoliciesExistAndAreInTheMapOfTheDocumentation() {
		List<String> linked = MarkdownPage.of("docs/README.md").links().stream().map(Link::file).toList();
		assertThat(linked).contains("SECURITY.md", "SUPPORT.md", "ROADMAP.md", "CODE_OF_CONDUCT.md",
				"docs/threat-model.md");
	}

	@Test
	void thePoliciesNameNoMailAddress() {
		for (String page : List.of("SECURITY.md", "SUPPORT.md", "CODE_OF_CONDUCT.md")) {
			assertThat(Pages.text(page)).as(page).doesNotContainPattern(MAIL_ADDRESS);
		}
	}

	@Test
	void eachFormForIssuesHasANameADescriptionAndFieldsWithLabels() throws IOException {
		for (Path form : forms()) {
			Map<String, Object> content = yaml(form);
			assertThat(content).as("%s", form).containsKeys("name", "description", "body");
			Set<Object> ids = new HashSet<>();
			for (Object element : (List<?>) Objects.requireNonNull(content.get("body"))) {
				Map<?, ?> field = (Map<?, ?>) element;
				Map<?, ?> attributes = (Map<?, ?>) Objects.requireNonNull(field.get("attributes"));
				assertThat(field.get("type")).as("%s", form).isIn(ELEMENTS);
				if (!"markdown".equals(field.get("type"))) {
					assertThat(attributes.get("label")).as("%s: %s", form, field).isNotNull();
					assertThat(ids.add(field.get("id"))).as("%s: %s is unique", form, field.get("id")).isTrue();
				}
				else {
					assertThat(attributes.get("value")).as("%s", form).isNotNull();
				}
			}
		}
	}

	@Test
	void eachFileThatAFormNamesExists() throws IOException {
		Pattern file = Pattern.compile("[\\w/.-]+\\.md");
		for (Path form : forms()) {
			assertThat(file.matcher(Files.readString(form)).results().map((match) -> match.group())).as("%s", form)
				.allMatch((name) -> Files.exists(Pages.ROOT.resolve(name)));
		}
	}

	@Test
	void eachFormThatSupportNamesExists() throws IOException {
		Set<String> names = new HashSet<>();
		for (Path form : forms()) {
			names.add(String.valueOf(yaml(form).get("name")));
		}
		List<String> named = Pattern.compile("with the form \\*([^*]+)\\*")
			.matcher(Pages.text("SUPPORT.md"))
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(named).hasSize(3).isSubsetOf(names);
	}

	private static List<Path> forms() throws IOException {
		try (Stream<Path> files = Files.list(FORMS)) {
			return files.filter((file) -> !file.endsWith("config.yml")).sorted().toList();
		}
	}

	private static Map<String, Object> yaml(Path file) throws IOException {
		return new Yaml().load(Files.readString(file));
	}

}
