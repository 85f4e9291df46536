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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests locks that AspectJ's weaver puts around methods, in a JVM with the real agent.
 */
class LoadTimeWeavingTests {

	private static final String AGENT = "-javaagent:"
			+ ProceedingJoinPoint.class.getProtectionDomain().getCodeSource().getLocation().getPath();

	private static final String AOP_XML = """
			<aspectj>
			  <weaver>
			    <include within="com.example.shop..*"/>
			  </weaver>
			</aspectj>
			""";

	@AutoClose
	private static final ChildJvm child = ChildJvm.start(List.of(AGENT), WovenChild.class);

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', textBlock = """
			self-invocation  | [acquire public-7, run, release public-7]
			from-outside     | [acquire public-7, run, release public-7]
			private          | [acquire private-7, run, release private-7]
			composed         | [acquire composed, run, release composed]
			failing          | [acquire throwing, run, release throwing]
			static           | [acquire static-7, run, release static-7]
			stage            | [acquire stage-7, run, release stage-7]
			no-bean          | [acquire public-7, run, release public-7]
			mono             | [acquire mono-7, call, run, release mono-7, acquire mono-7, call, run, release mono-7]
			whole-class      | [acquire whole, run, run, release whole]
			proxied-class    | [acquire whole, run, run, release whole]
			interface-type   | [acquire whole-interface, run, release whole-interface]
			part             | [acquire whole, run, release whole, acquire whole, run, release whole]
			proxy-mode       | [acquire public-7, run, release public-7]
			proxy-mode-self  | [run]
			two-applications | [acquire public-1, run, release public-1] [acquire public-2, run, release public-2]
			beside-a-proxy   | [] [acquire public-7, run, release public-7]
			no-application   | [run]
			""")
	void eachCallAndEachSubscriberIsLockedOnceByItsOwnApplication(String scene, String events) {
		assertThat(result(scene)).isEqualTo(events);
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', textBlock = """
			ambiguous   | Wares.count( | Call the method on a bean, or run one application in a JVM
			interface   | OfInterface.method() would not be locked | on the method itself
			transaction | InTransaction.method() would be locked inside of its transaction | AdviceMode.ASPECTJ
			""")
	void aStaticMethodOfSeveralApplicationsAnAnnotationThatTheWeaverDoesNotSeeAndATransactionAroundTheLockAreRefused(
			String scene, String problem, String remedy) {
		assertThat(result(scene)).startsWith("refused: @DistributedLock on ").contains(problem, remedy);
	}

	private static String result(String scene) {
		return child.send(scene).expect("said " + scene + " ");
	}

	/**
	 * As docs/weaving.md says: the classes of the application are outside the packages of
	 * the library, and the weaver examines no others.
	 */
	@Test
	void methodsAreLockedIfTheWeaverExaminesOnlyTheClassesOfTheApplication(@TempDir Path classes) throws IOException {
		copy(classes, ShopApplication.class, StockService.class);
		Files.createDirectories(classes.resolve("META-INF"));
		Files.writeString(classes.resolve("META-INF/aop.xml"), AOP_XML);
		try (ChildJvm application = ChildJvm.start(List.of(AGENT, "-cp", classPath(classes)), ShopApplication.class,
				"--distlock.backend=local", "--distlock.aop.mode=aspectj")) {
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
		String tests = LoadTimeWeavingTests.class.getProtectionDomain().getCodeSource().getLocation().getPath();
		return classes + File.pathSeparator
				+ Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
					.filter((entry) -> !Path.of(entry).toAbsolutePath().equals(Path.of(tests).toAbsolutePath()))
					.collect(Collectors.joining(File.pathSeparator));
	}

}
