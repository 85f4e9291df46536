package io.github.distlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.metrics.LockMeters;
import io.github.distlock.observation.LockObservationDocumentation;
import io.github.distlock.observation.LockObservationDocumentation.HighCardinalityKeyNames;
import io.github.distlock.observation.LockObservationDocumentation.LockEvents;
import io.github.distlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.docs.KeyName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page on meters and observations.
 */
class ObservabilityPageTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	@Test
	void thePageHasARowForEachMeterAndNoOther() throws IOException {
		assertThat(rows("docs/observability.md", "## Meters")).containsExactlyInAnyOrder(meters());
	}

	@Test
	void thePageHasARowForEachObservationAndEachOfItsKeys() throws IOException {
		Stream<String> names = Arrays.stream(LockObservationDocumentation.values())
			.map(LockObservationDocumentation::getName);
		Stream<String> keys = Stream.<KeyName[]>of(LowCardinalityKeyNames.values(), HighCardinalityKeyNames.values())
			.flatMap(Arrays::stream)
			.map(KeyName::asString);
		assertThat(rows("docs/observability.md", "## Observations"))
			.containsExactlyInAnyOrder(Stream.concat(names, keys).toArray(String[]::new));
		String page = Files.readString(ROOT.resolve("docs/observability.md"));
		assertThat(Arrays.stream(LockEvents.values()).map((event) -> "`" + event.getName() + "`"))
			.allSatisfy((event) -> assertThat(page).contains(event));
		assertThat(page).contains("`" + LockMdc.KEY + "`", "`" + LockMdc.NAME + "`");
	}

	private static String[] meters() {
		return Arrays.stream(LockMeters.values()).map(LockMeters::getName).toArray(String[]::new);
	}

	/** The first word of each row of the tables of a section. */
	private static List<String> rows(String page, String heading) throws IOException {
		return Files.readAllLines(ROOT.resolve(page))
			.stream()
			.dropWhile((line) -> !line.equals(heading))
			.skip(1)
			.takeWhile((line) -> !line.startsWith("## "))
			.filter((line) -> line.startsWith("| `"))
			.map((line) -> line.substring(3, line.indexOf('`', 3)))
			.toList();
	}

}
