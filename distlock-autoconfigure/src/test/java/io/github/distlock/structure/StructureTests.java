package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Path;

import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks rules of structure and language that can be counted. With {@code
 * -Dstructure.module} the compiled module of another checkout is measured as well.
 */
class StructureTests {

	private static StructureReport report;

	@BeforeAll
	static void readThisModule() throws IOException {
		report = new StructureReport(Path.of("").toAbsolutePath());
	}

	@Test
	void noCycleHasMoreThanThreeClasses() {
		assertThat(report.cycles()).allSatisfy((cycle) -> assertThat(cycle).hasSizeLessThanOrEqualTo(3));
	}

	@Test
	void noSimpleNameOfATypeExistsTwice() {
		assertThat(report.duplicateNames()).isEmpty();
	}

	@Test
	void thingsAreNotSpokenOfAsPersons() throws IOException {
		assertThat(report.persons()).hasSizeLessThanOrEqualTo(5);
	}

	@Test
	void theReportCanBeMade() throws IOException {
		String other = System.getProperty("structure.module");
		String text = report.text();
		LogFactory.getLog(StructureTests.class).info("This module\n" + text);
		if (other != null) {
			LogFactory.getLog(StructureTests.class)
				.info(other + "\n" + new StructureReport(Path.of(other).toAbsolutePath()).text());
		}
		assertThat(text).contains("cycles of classes, by size");
	}

}
