package io.github.distlock.test.audit;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules for ArchUnit.
 */
class LockRulesTests {

	@Test
	void aCallThatPassesNoProxyIsFoundUnlessTheClassInjectsItself() {
		assertThat(LockRules.NO_CALLS_PAST_THE_PROXY
			.evaluate(new ClassFileImporter().withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
				.importPackages("io.github.distlock.test.audit.depot"))
			.getFailureReport()
			.getDetails()).hasSize(3)
			.allMatch((violation) -> violation.contains("Recount$PastTheProxy.all()")
					|| violation.contains("Recount$PastTheProxy.later(") || violation.contains("lambda$later$"));
	}

}
