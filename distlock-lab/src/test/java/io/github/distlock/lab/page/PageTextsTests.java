package io.github.distlock.lab.page;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The texts of the page in both languages.
 */
class PageTextsTests {

	private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\w+}");

	/** In English the page shows the reasons of the server. */
	private static final Pattern REASON = Pattern.compile("why\\..+");

	@Test
	void bothLanguagesHaveTheSameTextsWithTheSamePlaceholders() throws IOException {
		Map<String, String> english = read("en");
		Map<String, String> chinese = withoutReasons(read("zh"));
		assertThat(chinese.keySet()).isEqualTo(withoutReasons(english).keySet());
		assertThat(chinese).allSatisfy((name, text) -> {
			assertThat(placeholders(text)).as(name).isEqualTo(placeholders(english.getOrDefault(name, "")));
		});
	}

	private static Map<String, String> withoutReasons(Map<String, String> texts) {
		Map<String, String> rest = new TreeMap<>(texts);
		rest.keySet().removeIf((name) -> REASON.matcher(name).matches());
		return rest;
	}

	private static Set<String> placeholders(String text) {
		return PLACEHOLDER.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
	}

	private static Map<String, String> read(String language) throws IOException {
		String file = "/static/texts/" + language + ".json";
		try (InputStream in = Objects.requireNonNull(PageTextsTests.class.getResourceAsStream(file), file)) {
			return JsonMapper.builder().build().readValue(in, new TypeReference<TreeMap<String, String>>() {
			});
		}
	}

}
