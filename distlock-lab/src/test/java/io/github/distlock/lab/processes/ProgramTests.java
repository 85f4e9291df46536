package io.github.distlock.lab.processes;

import java.io.File;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How this program finds itself again.
 */
class ProgramTests {

	private static final String MAIN = "com.example.Main";

	@Test
	void anExecutableJarIsStartedAsAJar() {
		assertThat(Children.program("/build/app.jar", MAIN)).isEqualTo(List.of("-jar", "/build/app.jar"));
	}

	@Test
	void aClassPathIsStartedByItsMainClass() {
		String path = "/build/classes" + File.pathSeparator + "/lib/x.jar";
		assertThat(Children.program(path, MAIN)).isEqualTo(List.of("-cp", path, MAIN));
		assertThat(Children.program("/build/classes", MAIN)).startsWith("-cp", "/build/classes");
	}

	@Test
	void theBuildFolderHoldsTheClassesOrTheJar() {
		assertThat(ProgramHome.of(Path.of("/app/target/classes"))).isEqualTo(Path.of("/app/target").toAbsolutePath());
		assertThat(ProgramHome.of(Path.of("/app/target/app.jar"))).isEqualTo(Path.of("/app/target").toAbsolutePath());
	}

}
