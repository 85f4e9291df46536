package io.github.distlock.lab.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of the page have layers. A script imports only scripts that stand before
 * it. Each part may ask {@code refresh} to draw: it stands first, since it knows no part.
 */
class PageLayersTests {

	private static final String LAYERS = """
			tools texts say refresh
			shown model
			view
			brush lock lanes charts picture
			verdicts records catalogue form inspector narration motion tables tour story
			connection
			lab""";

	private static final Pattern IMPORT = Pattern.compile("from '\\./(?:js/)?(\\w+)\\.js'");

	@Test
	void noImportRunsUpwards() throws IOException {
		List<String> order = List.of(LAYERS.split("\\s+"));
		Resource[] scripts = new PathMatchingResourcePatternResolver().getResources("classpath:static/**/*.js");
		assertThat(scripts).hasSameSizeAs(order);
		for (Resource script : scripts) {
			String name = Objects.requireNonNull(script.getFilename()).replace(".js", "");
			try (InputStream content = script.getInputStream()) {
				String code = new String(content.readAllBytes(), StandardCharsets.UTF_8);
				assertThat(IMPORT.matcher(code).results().map((found) -> found.group(1))).as(name)
					.isSubsetOf(order.subList(0, order.indexOf(name)));
			}
		}
	}

}
