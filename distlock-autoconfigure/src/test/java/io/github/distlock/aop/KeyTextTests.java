package io.github.distlock.aop;

import java.util.List;
import java.util.Map;

import io.github.distlock.testing.ChildJvm;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each value has the same key in all JVMs, or none.
 */
class KeyTextTests {

	@Test
	void aValueIsRefusedOrHasTheSameKeyInJvmsOfDifferentTimeZonesAndLocales() throws Exception {
		List<String> shanghai = keys("-Duser.timezone=Asia/Shanghai", "-Duser.language=zh", "-Duser.country=CN");
		List<String> utc = keys("-Duser.timezone=UTC", "-Duser.language=ar", "-Duser.country=EG");
		LogFactory.getLog(KeyTextTests.class).info("Keys\n" + table(shanghai, utc));
		int accepted = KeyValues.accepted().size();
		assertThat(shanghai).hasSameSizeAs(utc).hasSizeGreaterThan(accepted);
		assertThat(shanghai.subList(0, accepted)).isEqualTo(utc.subList(0, accepted))
			.noneMatch((line) -> line.contains("\trefused: "));
		assertThat(shanghai.subList(accepted, shanghai.size())).allMatch((line) -> line.contains("\trefused: "));
		assertThat(utc.subList(accepted, shanghai.size())).allMatch((line) -> line.contains("\trefused: "));
	}

	private static List<String> keys(String... options) {
		try (ChildJvm child = ChildJvm.start(List.of(options), KeyValues.class)) {
			return child.linesBefore("end");
		}
	}

	private static String table(List<String> one, List<String> other) {
		StringBuilder table = new StringBuilder();
		for (int i = 0; i < one.size(); i++) {
			String[] left = one.get(i).split("\t");
			String[] right = other.get(i).split("\t");
			table.append(left[0] + " | " + left[left.length - 1] + " | " + right[right.length - 1]
					+ (left[1].startsWith("refused") ? " | refused" : "") + "\n");
		}
		return table.toString();
	}

	@Test
	void aRefusalSaysWhatToWriteInstead() throws Exception {
		for (Map.Entry<String, Object[]> value : KeyValues.refused().entrySet()) {
			assertThat(KeyValues.key(value.getValue()[0])).as(value.getKey())
				.startsWith("refused: it is ")
				.contains((String) value.getValue()[1]);
		}
	}

	@Test
	void aRefusalNamesTheComponentOfTheRecord() {
		KeyValues.Box<?> deep = new KeyValues.Box<>(List.of(new KeyValues.Box<>(new java.sql.Timestamp(0))));
		String box = "an instance of " + KeyValues.Box.class.getTypeName();
		assertThat(KeyValues.key(deep)).startsWith("refused: it is " + box + ", in it content=[Box[")
			.contains("in it " + box + ", in it content=",
					"in it an instance of java.sql.Timestamp, whose text depends on the " + "time zone of the JVM");
	}

}
