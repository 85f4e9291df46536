package io.github.distlock.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A public signature does not change without a commit that says so.
 */
class PublicSignaturesTests {

	@Test
	void theSignaturesAreThoseOfTheCommittedText() throws IOException {
		List<String> lines = new ArrayList<>();
		PublishedTypes.api().forEach((type) -> lines.addAll(PublicSignatures.of(type)));
		CommittedText.check("project/config/api/signatures.txt", lines, PublicSignaturesTests.class);
	}

	@Test
	void theAnswersOfTheEndpointAreThoseOfTheCommittedText() throws IOException {
		List<String> lines = new ArrayList<>();
		PublishedTypes.answers().forEach((type) -> lines.addAll(PublicSignatures.ofAnswer(type)));
		CommittedText.check("project/config/api/endpoint.txt", lines, PublicSignaturesTests.class);
	}

	@Test
	void theNamesOfTheAutoConfigurationsAreThoseOfTheCommittedText() throws IOException {
		CommittedText.check("project/config/api/auto-configurations.txt", PublishedTypes.autoConfigurations(),
				PublicSignaturesTests.class);
	}

	@Test
	void aDifferenceIsReportedByNameWithTheCommandThatWritesTheFileAgain(@TempDir Path folder) throws IOException {
		Path file = Files.writeString(folder.resolve("signatures.txt"), "A.gone(): void\nA.stays(): void\n");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> CommittedText.compare(file, List.of("A.stays(): void", "A.added(): int"),
					PublicSignaturesTests.class))
			.withMessageContaining(
					"Removed or changed (docs/versioning.md says when that is allowed):\n  A.gone(): void\n")
			.withMessageContaining("New:\n  A.added(): int\n")
			.withMessageContaining("-Dtest=PublicSignaturesTests -Ddistlock.docs.write=true");
	}

}
