package io.github.distlock.lab;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.distlock.lab.console.ReportFile;
import io.github.distlock.lab.runs.TestStrategies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Which values of {@code --report} are refused at the start.
 */
class ReportFileTests {

	private final Path folder;

	ReportFileTests(@TempDir Path folder) {
		this.folder = folder;
	}

	@Test
	void aFileInAFolderThatDoesNotExistYetIsAccepted() {
		Path file = this.folder.resolve("new/folder/report.json");
		ReportFile.prepare(file);
		assertThat(file.getParent()).isEmptyDirectory();
	}

	@Test
	void anOlderReportIsDeleted() throws Exception {
		Path file = Files.writeString(this.folder.resolve("report.json"), "{}");
		ReportFile.prepare(file);
		assertThat(file).doesNotExist();
	}

	@Test
	void aFolderIsRefusedWithTheNameOfAFile() {
		assertThatIllegalArgumentException().isThrownBy(() -> ReportFile.prepare(this.folder))
			.withMessage("--report=%1$s is a folder: name a file, such as --report=%1$s/oversell-report.json",
					this.folder);
	}

	@Test
	void aFolderThatCannotBeCreatedIsRefused() throws Exception {
		Path file = Files.createFile(this.folder.resolve("file"));
		assertThatIllegalArgumentException().isThrownBy(() -> ReportFile.prepare(file.resolve("sub/report.json")))
			.withMessageStartingWith("--report=%s/sub/report.json cannot be written", file)
			.withMessageContaining("its folder cannot be created")
			.withMessageEndingWith("name a file in a folder that exists");
	}

	@Test
	void aFileThatCannotBeWrittenIsRefused() {
		Path file = this.folder.resolve("n".repeat(300));
		assertThatIllegalArgumentException().isThrownBy(() -> ReportFile.prepare(file))
			.withMessageStartingWith("--report=%s cannot be written", file)
			.withMessageEndingWith("name a file in a folder that you may write to");
	}

	@Test
	void aLaunchWithABadReportEndsBeforeAnythingIsStarted() {
		ByteArrayOutputStream printed = new ByteArrayOutputStream();
		Launcher launcher = new Launcher(new PrintStream(printed, true, StandardCharsets.UTF_8), (status) -> {
			throw new AssertionError("ended with " + status);
		}, (settings) -> {
			throw new AssertionError("started");
		}, new Program(ReportFileTests.class.getName(), "", TestStrategies.CATALOGUE));
		assertThat(launcher.launch("--report=" + this.folder)).isEqualTo(1);
		assertThat(printed.toString(StandardCharsets.UTF_8).strip())
			.startsWith("--report=" + this.folder + " is a folder")
			.doesNotContain("orders for");
	}

}
