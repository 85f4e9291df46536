package io.github.distlock.docs;

import java.io.StringReader;
import java.util.List;
import java.util.Set;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The blocks of code of all pages have a language, which decides how they are tested.
 */
class FenceTests {

	private static final Set<String> LANGUAGES = Set.of("java", "yaml", "properties", "sql", "xml", "json", "shell",
			"console", "http", "text", "mermaid", "lua", "promql", "docker", "kotlin");

	@Test
	void eachBlockIsFencedAndHasALanguage() {
		assertThat(Pages.blocks()).filteredOn((block) -> !block.fenced() || !LANGUAGES.contains(block.language()))
			.as("Blocks that are indented or have no known language")
			.isEmpty();
	}

	@Test
	void eachXmlBlockIsWellFormed() {
		for (CodeBlock block : blocks("xml")) {
			assertThatNoException().as(block.place())
				.isThrownBy(() -> DocumentBuilderFactory.newInstance()
					.newDocumentBuilder()
					.parse(new InputSource(new StringReader("<page>" + block.text() + "</page>"))));
		}
	}

	@Test
	void eachJsonBlockIsWellFormed() {
		for (CodeBlock block : blocks("json")) {
			assertThatNoException().as(block.place()).isThrownBy(() -> JsonMapper.shared().readTree(block.text()));
		}
	}

	private static List<CodeBlock> blocks(String language) {
		return Pages.blocks().stream().filter((block) -> block.language().equals(language)).toList();
	}

}
