package io.github.distlock.aop;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import com.example.shop.ShopApplication;
import com.example.shop.StockService;
import io.github.distlock.testing.ChildJvm;
import org.aspectj.lang.ProceedingJoinPoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests an application that follows docs/weaving.md exactly, in a JVM with the real
 * agent: its classes are outside the packages of the library, and the weaver examines no
 * other classes.
 */
class WovenApplicationTests {

	private static final String AOP_XML = """
			<aspectj>
			  <weaver>
			    <include within="com.example.shop..*"/>
			  </weaver>
			</aspectj>
			""";

	@Test
	void methodsAreLockedIfTheWeaverExaminesOnlyTheClassesOfTheApplication(@TempDir Path classes) throws IOException {
		copy(classes, ShopApplication.class, StockService.class);
		Files.createDirectories(classes.resolve("META-INF"));
		Files.writeString(classes.resolve("META-INF/aop.xml"), AOP_XML);
		String agent = ProceedingJoinPoint.class.getProtectionDomain().getCodeSource().getLocation().getPath();
		try (ChildJvm application = ChildJvm.start(List.of("-javaagent:" + agent, "-cp", classPath(classes)),
				ShopApplication.class, "--distlock.backend=local", "--distlock.aop.mode=aspectj")) {
			assertThat(application.expect("private ")).isEqualTo("stock-7");
			assertThat(application.expect("static ")).isEqualTo("count");
		}
	}

	private static void copy(Path classes, Class<?>... types) throws IOException {
		for (Class<?> type : types) {
			String file = type.getName().replace('.', '/') + ".class";
			Path target = classes.resolve(file);
			Files.createDirectories(Objects.requireNonNull(target.getParent()));
			Files.copy(Objects.requireNonNull(type.getClassLoader().getResourceAsStream(file)), target);
		}
	}

	/** Without the tests, which have an aop.xml of their own. */
	private static String classPath(Path classes) {
		String tests = WovenApplicationTests.class.getProtectionDomain().getCodeSource().getLocation().getPath();
		return classes + File.pathSeparator
				+ Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
					.filter((entry) -> !Path.of(entry).toAbsolutePath().equals(Path.of(tests).toAbsolutePath()))
					.collect(Collectors.joining(File.pathSeparator));
	}

}
