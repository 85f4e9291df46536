package io.github.distlock.sample.lab.launcher;

import java.io.File;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How this program finds itself again.
 */
class ProgramTests {

	@Test
	void anExecutableJarIsStartedAsAJar() {
		assertThat(Children.program("/build/app.jar")).isEqualTo(List.of("-jar", "/build/app.jar"));
	}

	@Test
	void aClassPathIsStartedByItsMainClass() {
		String path = "/build/classes" + File.pathSeparator + "/lib/x.jar";
		assertThat(Children.program(path)).isEqualTo(List.of("-cp", path, "io.github.distlock.sample.OversellDemo"));
		assertThat(Children.program("/build/classes")).startsWith("-cp", "/build/classes");
	}

	@Test
	void theBuildFolderHoldsTheClassesOrTheJar() {
		assertThat(ProgramHome.of(Path.of("/app/target/classes"))).isEqualTo(Path.of("/app/target").toAbsolutePath());
		assertThat(ProgramHome.of(Path.of("/app/target/app.jar"))).isEqualTo(Path.of("/app/target").toAbsolutePath());
	}

}
